"""The files under deploy/, as far as they can be checked without running them."""

from pathlib import Path

import yaml

from footnoted.cli import app as cli
from footnoted.service.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def test_two_replicas_share_a_redis_and_a_postgresql():
    """Both addresses name services of the file, and nothing but the proxy can be reached from outside."""
    services = COMPOSE["services"]
    told = services["service"]["environment"]
    assert services["service"]["deploy"]["replicas"] == 2
    assert "@postgres:5432" in told["DATABASE_URL"]
    assert told["REDIS_URL"].startswith("redis://redis:")
    assert {name for name, each in services.items() if "ports" in each} == {"proxy"}
    for each in services.values():
        for name in each.get("depends_on", ()):
            assert name in services
        for volume in each.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (DEPLOY / source).exists()


def test_every_setting_is_one_the_service_knows():
    """A misspelt variable would be passed over in silence."""
    known = {f"FOOTNOTED_{name.upper()}" for name in Settings.model_fields}
    named = {name for name in COMPOSE["services"]["service"]["environment"] if name.startswith("FOOTNOTED_")}
    inside = {
        word.partition("=")[0]
        for word in DOCKERFILE.replace("\\", " ").split()
        if word.startswith("FOOTNOTED_") and "=" in word
    }
    assert named <= known
    assert inside - {"FOOTNOTED_CACHE"} <= known


def test_the_image_runs_a_command_that_exists():
    """`footnoted serve` and `footnoted keys` are commands; what is copied is there; it does not run as root."""
    commands = {each.name or each.callback.__name__ for each in cli.registered_commands}
    groups = {each.name for each in cli.registered_groups}
    assert 'CMD ["footnoted", "serve"]' in DOCKERFILE
    assert "serve" in commands
    assert COMPOSE["services"]["keys"]["entrypoint"] == ["footnoted", "keys"]
    assert "keys" in groups
    assert "USER footnoted" in DOCKERFILE
    for line in DOCKERFILE.splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for name in line.split()[1:-1]:
                assert (DEPLOY.parent / name).exists()


def test_the_proxy_passes_events_on_as_they_come():
    """No buffering, HTTP/1.1, longer patience than a heartbeat, room for the largest file; braces match."""
    assert "proxy_buffering off;" in NGINX
    assert "proxy_http_version 1.1;" in NGINX
    assert NGINX.count("{") == NGINX.count("}")
    assert Settings.model_fields["heartbeat_seconds"].default < 120
    assert Settings.model_fields["file_bytes"].default <= 52 * 1024 * 1024
    stop = int(COMPOSE["services"]["service"]["stop_grace_period"].rstrip("s"))
    assert stop > int(COMPOSE["services"]["service"]["environment"]["FOOTNOTED_SHUTDOWN_SECONDS"]) + 5


def test_a_question_is_not_asked_twice_by_the_proxy():
    """Another replica is asked after a 503 alone, which comes before anything was begun; never after an error."""
    said = next(line.split() for line in NGINX.splitlines() if line.strip().startswith("proxy_next_upstream "))
    assert said == ["proxy_next_upstream", "http_503", "non_idempotent;"]
    assert "proxy_next_upstream_tries 2;" in NGINX
