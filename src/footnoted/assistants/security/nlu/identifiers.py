"""A question in; the finding ids, check ids, requirement ids and resource names in it out, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from footnoted.assistants.security.names import service_key

Kind = Literal["finding", "check", "requirement", "resource"]

# Services as Security Hub's control ids spell them, and as Prowler's check ids begin.
_HUB = (
    "S3 IAM EC2 RDS KMS CloudTrail Config GuardDuty Lambda EKS ECS CloudFront SecretsManager SNS SQS DynamoDB SSM ACM"
    " APIGateway Athena AutoScaling Backup CloudFormation CloudWatch CW CodeBuild Cognito DocumentDB ECR EFS"
    " ElastiCache ELB EMR Glue Inspector Kinesis Macie Opensearch Redshift Route53 SageMaker StepFunctions WAF Account"
    " DMS ES ElasticBeanstalk MSK MQ Neptune NetworkFirewall Transfer WorkSpaces DataSync FSx EventBridge AppSync"
    " Amplify Batch"
).split()
_CANONICAL = {name.lower(): name for name in _HUB}
_CHECK_SERVICES = (
    "accessanalyzer account acm acmpca amplify apigateway apigatewayv2 appstream appsync athena autoscaling awslambda"
    " backup batch bedrock cloudformation cloudfront cloudtrail cloudwatch codeartifact codebuild codecommit"
    " codepipeline cognito config datapipeline datasync directconnect directoryservice dlm dms documentdb drs dynamodb"
    " ec2 ecr ecs efs eks elasticache elasticbeanstalk elb elbv2 emr eventbridge firehose fms fsx glacier glue"
    " guardduty iam inspector2 kafka kinesis kms lightsail macie memorydb mq neptune networkfirewall opensearch"
    " organizations rds redshift resourceexplorer2 rolesanywhere route53 s3 sagemaker secretsmanager securityhub"
    " servicecatalog ses shield sns sqs ssm ssmincidents stepfunctions storagegateway transfer trustedadvisor vpc waf"
    " wafv2 wellarchitected workspaces"
).split()

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_CHECK = rf"(?:{'|'.join(sorted(_CHECK_SERVICES, key=len, reverse=True))})(?:_[a-z0-9]+)+"
_CONTROL = rf"(?:PCI\.)?(?:{'|'.join(sorted(_HUB, key=len, reverse=True))})\.\d{{1,3}}"
_EDGE = r"(?<![\w./:-])"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("finding", re.compile(r"\barn:aws[\w-]*:securityhub:[\w:/.-]{1,300}?/finding/[\w-]{1,80}", re.IGNORECASE)),
    ("resource", re.compile(r"\barn:aws[\w-]*:[\w-]{1,40}:[\w:/.*+=@-]{0,300}[\w*]", re.IGNORECASE)),
    ("finding", re.compile(rf"{_EDGE}prowler-\w+-{_CHECK}-\d{{12}}-[\w./:-]{{0,200}}\w", re.IGNORECASE)),
    ("finding", re.compile(rf"{_EDGE}{_UUID}(?![\w-])", re.IGNORECASE)),
    ("finding", re.compile(r"(?<=\bfinding )(?=[\w-]*\d)[A-Za-z]+-[\w-]{1,60}\w", re.IGNORECASE)),
    ("check", re.compile(rf"{_EDGE}{_CHECK}(?!\w)", re.IGNORECASE)),
    ("check", re.compile(rf"{_EDGE}{_CONTROL}(?![\d.]*\d)", re.IGNORECASE)),
    ("requirement", re.compile(r"(?<![\d.])164\.3\d\d(?:\([a-z0-9]{1,4}\)){0,5}", re.IGNORECASE)),
    ("requirement", re.compile(r"\b(?:CC[1-9]\.\d{1,2}|(?:PI1|A1|C1)\.[1-5])(?!\d)")),
    ("requirement", re.compile(r"\bart(?:icle|\.)?\s?(?:5|6|17|25|28|30|32|33|34|35|44)(?!\d)", re.IGNORECASE)),
    (
        "requirement",
        re.compile(
            r"\b(?:AC|AT|AU|CA|CM|CP|IA|IR|MA|MP|PE|PL|PM|PS|PT|RA|SA|SC|SI|SR)-\d{1,2}(?:\s?\(\d{1,2}\))?(?![\w-])",
            re.IGNORECASE,
        ),
    ),
    ("requirement", re.compile(r"(?<=\bCIS )[1-6]\.\d{1,2}(?:\.\d)?(?![\d.]*\d)", re.IGNORECASE)),
    ("requirement", re.compile(r"(?<=\brequirement )\d{1,2}(?:\.\d{1,2}){1,3}", re.IGNORECASE)),
)


REGION = re.compile(r"\b(?:us|eu|ap|sa|ca|me|af|il|mx|cn)-(?:gov-|iso\w?-)?(?:north|south|east|west|central){1,2}-\d\b")
ACCOUNT = re.compile(r"(?<![\w:/.-])\d{12}(?![\w:/.-])")


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier as the systems that issue it spell it, and the service or framework it belongs to, if any."""

    kind: str
    value: str
    start: int
    end: int
    check: str = ""
    service: str = ""
    framework: str = ""


def identifiers(text: str) -> list[Identifier]:
    """Every identifier of a readable text, in its order; none lies inside another.

    >>> [(one.kind, one.value, one.service) for one in identifiers("s3.1 and rds_snapshots_encrypted")]
    [('check', 'S3.1', 's3'), ('check', 'rds_snapshots_encrypted', 'rds')]
    """
    found: list[Identifier] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(one.start < match.end() and match.start() < one.end for one in found):
                found.append(_identifier(kind, match[0], match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def _identifier(kind: str, value: str, start: int, end: int) -> Identifier:
    if kind == "finding":
        inner = re.search(rf"{_CHECK}(?=-\d{{12}}-)|(?<=/){_CONTROL}(?=/finding/)", value, re.IGNORECASE)
        check = canonical_check(inner[0]) if inner else ""
        return Identifier(kind, value, start, end, check=check, service=service_of(check))
    if kind == "check":
        check = canonical_check(value)
        return Identifier(kind, check, start, end, check=check, service=service_of(check))
    if kind == "resource":
        part = value.split(":")[2].lower()
        return Identifier(kind, value, start, end, service=service_key(part) if part in _CHECK_SERVICES else "")
    value = value if value.lower().startswith(("164", "art")) else value.upper().replace(" (", "(")
    return Identifier(kind, value, start, end, framework=_framework(value))


def canonical_check(value: str) -> str:
    """A check id as its issuer spells it: ``s3.1`` -> ``S3.1``, ``S3_BUCKET_…`` -> ``s3_bucket_…``."""
    if "_" in value:
        return value.lower()
    *standard, service, number = value.split(".")
    return ".".join([*(part.upper() for part in standard), _CANONICAL[service.lower()], number])


def service_of(check: str) -> str:
    """The service a check id looks at, as the catalogue names it; empty for none."""
    if "_" in check:
        return service_key(check.split("_", 1)[0])
    parts = check.split(".")
    return service_key(parts[-2]) if len(parts) > 1 else ""


def _framework(requirement: str) -> str:
    if requirement.startswith("164"):
        return "hipaa"
    if requirement.lower().startswith("art"):
        return "gdpr"
    if requirement[0].isdigit():
        return ""
    return "nist-800-53" if "-" in requirement else "soc2"
