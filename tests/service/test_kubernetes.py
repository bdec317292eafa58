"""The manifests under deploy/kubernetes, as far as they go without a cluster: schemas, names, times, and the command itself."""

import asyncio
import json
import os
import re
import signal
import sys
import tomllib
from pathlib import Path

import aiohttp
import kubernetes_validate
import pytest
import yaml

from footnoted.service.settings import Settings
from tests.service.replicas import SOURCES
from tests.services import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
FILES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OBJECTS = [each for file in FILES for each in yaml.safe_load_all(file.read_text(encoding="utf-8"))]
VERSIONS = ("1.29", "1.34", kubernetes_validate.latest_version())


def named(kind: str, name: str = "footnoted") -> dict:
    (found,) = [each for each in OBJECTS if each["kind"] == kind and each["metadata"]["name"] == name]
    return found


POD = named("Deployment")["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]


def environment() -> dict[str, str]:
    """What a process in the container is told: by the image, then by the ConfigMap and the Secret."""
    image = re.findall(r"^ENV (.+)$", DOCKERFILE, re.MULTILINE)
    told = dict(word.split("=", 1) for line in image for word in line.split())
    for source in CONTAINER["envFrom"]:
        (kind, reference), *_ = source.items()
        found = named({"configMapRef": "ConfigMap", "secretRef": "Secret"}[kind], reference["name"])
        told |= found.get("data", {}) | found.get("stringData", {})
    return told


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_what_kubernetes_takes(version):
    """Held against the schemas of Kubernetes itself, strictly: no unknown field, no wrong type."""
    assert {each["kind"] for each in OBJECTS} >= {"Deployment", "Service", "Ingress", "HorizontalPodAutoscaler"}
    for each in OBJECTS:
        kubernetes_validate.validate(each, version, strict=True)
    wrong = {**named("Service"), "spec": {"ports": [{"port": "eighty"}], "selectr": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_what_names_another_names_one_that_is_there():
    """Selectors, ports, volumes, references and the autoscaler's target."""
    labels = named("Deployment")["spec"]["template"]["metadata"]["labels"]
    for selector in (
        named("Deployment")["spec"]["selector"]["matchLabels"],
        named("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        named("Service")["spec"]["selector"],
    ):
        assert selector.items() <= labels.items()
    assert not named("Service", "footnoted-nobody")["spec"]["selector"].items() <= labels.items()
    ports = {each["name"] for each in CONTAINER["ports"]}
    assert {each["targetPort"] for each in named("Service")["spec"]["ports"]} <= ports
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert CONTAINER[probe]["httpGet"]["port"] in ports
    assert {each["name"] for each in CONTAINER["volumeMounts"]} == {each["name"] for each in POD["volumes"]}
    for volume in POD["volumes"]:
        if "configMap" in volume:
            named("ConfigMap", volume["configMap"]["name"])
    for rule in named("Ingress")["spec"]["rules"]:
        for path in rule["http"]["paths"]:
            service = path["backend"]["service"]
            offered = {each["name"] for each in named("Service", service["name"])["spec"]["ports"]}
            assert service["port"]["name"] in offered
    target = named("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert named(target["kind"], target["name"])["apiVersion"] == target["apiVersion"]


def test_a_replica_may_do_no_more_than_it_must():
    """Not root, nothing written but /tmp, no capability, no token of the cluster."""
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert f"--uid {POD['securityContext']['runAsUser']}" in DOCKERFILE
    assert POD["automountServiceAccountToken"] is False
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    writable = [each["mountPath"] for each in CONTAINER["volumeMounts"] if not each.get("readOnly")]
    assert writable == ["/tmp"]


def test_a_replica_that_goes_has_its_time():
    """The proxies' seconds, the answers' seconds and some more fit before the kill; two replicas at least, one goes."""
    before = float(CONTAINER["lifecycle"]["preStop"]["exec"]["command"][-1])
    answers = float(environment()["FOOTNOTED_SHUTDOWN_SECONDS"])
    assert before + answers + 5 <= POD["terminationGracePeriodSeconds"]
    readiness = CONTAINER["readinessProbe"]
    assert (CONTAINER["livenessProbe"]["httpGet"]["path"], readiness["httpGet"]["path"]) == ("/healthz", "/readyz")
    assert named("HorizontalPodAutoscaler")["spec"]["minReplicas"] >= 2
    assert "replicas" not in named("Deployment")["spec"]
    assert named("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


def test_events_pass_the_ingress_as_they_come():
    """The same rules as the proxy of the compose file; the figures stay inside."""
    told = {name.rpartition("/")[2]: value for name, value in named("Ingress")["metadata"]["annotations"].items()}
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for directive in ("proxy-buffering", "proxy-http-version", "proxy-request-buffering", "proxy-next-upstream"):
        assert f"{directive.replace('-', '_')} {told[directive]};" in nginx
    assert f"client_max_body_size {told['proxy-body-size']};" in nginx
    assert f"proxy_read_timeout {told['proxy-read-timeout']}s;" in nginx
    first, rest = named("Ingress")["spec"]["rules"][0]["http"]["paths"]
    assert (first["path"], first["backend"]["service"]["name"]) == ("/metrics", "footnoted-nobody")
    assert (rest["path"], rest["pathType"]) == ("/", "Prefix")


def test_every_setting_is_one_the_service_knows():
    """In the environment and in the policy; and the cluster adds none of its own."""
    known = {f"FOOTNOTED_{name.upper()}" for name in Settings.model_fields} | {"FOOTNOTED_SETTINGS", "FOOTNOTED_CACHE"}
    assert {name for name in environment() if name.startswith("FOOTNOTED_")} <= known
    assert POD["enableServiceLinks"] is False  # FOOTNOTED_PORT=tcp://…, for a Service of this name
    policy = tomllib.loads(named("ConfigMap", "footnoted-policy")["data"]["footnoted.toml"])
    assert policy.keys() <= Settings.model_fields.keys()
    mounted = next(each["mountPath"] for each in CONTAINER["volumeMounts"] if each["name"] == "policy")
    assert environment()["FOOTNOTED_SETTINGS"] == f"{mounted}/footnoted.toml"


async def test_the_command_runs_as_the_manifests_say(tmp_path, postgres, redis):
    """The image's command with the manifests' environment: it gets ready, answers, drains, and writes nowhere but in /tmp."""
    home, tmp, mounted = (tmp_path / name for name in ("home", "tmp", "mounted"))
    for folder in (home, tmp, mounted):
        folder.mkdir()
    (mounted / "footnoted.toml").write_text(named("ConfigMap", "footnoted-policy")["data"]["footnoted.toml"])
    (command,) = re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.MULTILINE)
    assert "command" not in CONTAINER
    program, *arguments = json.loads(command)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    told = environment() | {"DATABASE_URL": postgres, "REDIS_URL": redis.url, "FOOTNOTED_PORT": str(port)}
    told |= {"FOOTNOTED_SETTINGS": str(mounted / "footnoted.toml"), "HOME": str(home), "TMPDIR": str(tmp)}
    told |= {"PATH": os.environ["PATH"], **{name: os.environ[name] for name in os.environ if name.startswith("PYTHON")}}
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name(program), *arguments, cwd=home, env=told
    )
    try:
        key = _token(told["FOOTNOTED_JWT_SECRET"])
        async with aiohttp.ClientSession(url, headers={"Authorization": f"Bearer {key}"}) as session:
            await _until(session, CONTAINER["readinessProbe"]["httpGet"]["path"], 200)
            async with session.get(CONTAINER["livenessProbe"]["httpGet"]["path"]) as response:
                assert response.status == 200
            body = {"question": "What is the windscreen excess?", "sources": SOURCES}
            async with session.post("/api/v1/answers", json=body) as response:
                assert response.status == 200
                assert "75" in (await response.json())["response"]["response"]
            async with session.post("/api/v1/answers", json={**body, "config": {"max_tokens": 4001}}) as response:
                assert response.status == 422  # the policy of the ConfigMap holds
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(POD["terminationGracePeriodSeconds"]):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert list(home.rglob("*")) == []


def _token(secret: str) -> str:
    import time

    import jwt

    return jwt.encode({"tenant": "acme", "exp": time.time() + 600}, secret, algorithm="HS256")


async def _until(session: aiohttp.ClientSession, path: str, status: int) -> None:
    async with asyncio.timeout(100):
        while True:
            try:
                async with session.get(path) as response:
                    if response.status == status:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)
