"""Gives the many spellings scanners use for a service or a framework one key, and one name for people."""

from __future__ import annotations

import re
from functools import lru_cache

# Canonical key -> the name people use. What is not here keeps its scanner's own key.
SERVICES = {
    "s3": "S3", "iam": "IAM", "ec2": "EC2", "vpc": "VPC", "rds": "RDS", "kms": "KMS", "cloudtrail": "CloudTrail",
    "config": "Config", "guardduty": "GuardDuty", "lambda": "Lambda", "eks": "EKS", "ecs": "ECS",
    "cloudfront": "CloudFront", "secretsmanager": "Secrets Manager", "sns": "SNS", "sqs": "SQS",
    "dynamodb": "DynamoDB", "cloudwatch": "CloudWatch", "redshift": "Redshift", "autoscaling": "Auto Scaling",
    "codebuild": "CodeBuild", "cloudformation": "CloudFormation", "elb": "ELB", "ecr": "ECR", "efs": "EFS",
    "ssm": "Systems Manager", "account": "Account", "accessanalyzer": "Access Analyzer",
    "apigateway": "API Gateway", "opensearch": "OpenSearch", "securityhub": "Security Hub", "waf": "WAF",
    "acm": "ACM", "elasticache": "ElastiCache", "sagemaker": "SageMaker", "bedrock": "Bedrock", "athena": "Athena",
    "glue": "Glue", "route53": "Route 53", "backup": "Backup", "macie": "Macie", "inspector": "Inspector",
}  # fmt: skip
FRAMEWORKS = {
    "hipaa": "HIPAA", "soc2": "SOC 2", "pci-dss": "PCI DSS", "gdpr": "GDPR", "cis-aws": "CIS AWS",
    "nist-800-53": "NIST 800-53", "aws-fsbp": "AWS Foundational Security Best Practices",
    "nist-800-171": "NIST 800-171", "nist-csf": "NIST CSF", "fedramp": "FedRAMP", "mitre-attack": "MITRE ATT&CK",
    "iso27001": "ISO 27001", "ens": "ENS", "aws-well-architected": "AWS Well-Architected", "ffiec": "FFIEC",
}  # fmt: skip
_SERVICE_ALIASES = {
    "awslambda": "lambda", "elbv2": "elb", "elasticloadbalancing": "elb", "elasticloadbalancingv2": "elb",
    "cw": "cloudwatch", "logs": "cloudwatch", "cwl": "cloudwatch", "es": "opensearch", "elasticsearch": "opensearch",
    "kinesisvideo": "kinesis", "apigatewayv2": "apigateway",
    "inspector2": "inspector", "inspectorv2": "inspector", "wafv2": "waf", "wafregional": "waf",
    "events": "eventbridge", "systemsmanager": "ssm", "certificatemanager": "acm", "autoscalinggroup": "autoscaling",
    "secretmanager": "secretsmanager", "simplestorageservice": "s3",
}  # fmt: skip
_PARTS = re.compile(r"[a-z]+|\d+")
# Prowler files what belongs to a VPC under ec2 and Security Hub too; the resource tells.
_VPC_RESOURCES = ("vpc", "subnet", "networkacl", "flowlog", "natgateway", "internetgateway", "routetable")
_VPC_NAMES = (":vpc/", "vpc-flow-log")
# The parts (`requirement_key`) by which a framework's name is known, whatever stands before and after them. "cis" is
# the Foundations Benchmark for AWS only; "CIS-2.1" of another cloud is another document.
_FRAMEWORK_PARTS = {
    "hipaa": "hipaa", "soc.2": "soc2", "soc.ii": "soc2", "pci": "pci-dss", "pcidss": "pci-dss", "gdpr": "gdpr",
    "cis": "cis-aws", "cisaws": "cis-aws", "nist.800.53": "nist-800-53", "nist.sp.800.53": "nist-800-53",
    "800.53": "nist-800-53", "nist.800.171": "nist-800-171", "nist.sp.800.171": "nist-800-171",
    "nist.csf": "nist-csf", "foundational.security": "aws-fsbp", "fsbp": "aws-fsbp", "afsbp": "aws-fsbp",
    "fedramp": "fedramp", "fed.ramp": "fedramp", "mitre": "mitre-attack", "iso.27001": "iso27001",
    "iso.iec.27001": "iso27001", "ens": "ens", "well.architected": "aws-well-architected", "ffiec": "ffiec",
}  # fmt: skip


@lru_cache(maxsize=4096)
def service_key(name: str, *, resource_type: str = "", resource_id: str = "") -> str:
    """The canonical key of a service by any scanner's name for it.

    >>> service_key("awslambda"), service_key("Amazon S3"), service_key("ec2", resource_type="AwsEc2Vpc")
    ('lambda', 's3', 'vpc')
    """
    key = re.sub(r"[^a-z0-9]", "", re.sub(r"^(?:aws|amazon)\b", "", name.strip().casefold()))
    key = _SERVICE_ALIASES.get(key, key)
    of_vpc = any(part in resource_type.casefold() for part in _VPC_RESOURCES)
    return "vpc" if key == "ec2" and (of_vpc or any(part in resource_id for part in _VPC_NAMES)) else key


@lru_cache(maxsize=4096)
def service_of_resource(resource_type: str) -> str:
    """The service a resource type belongs to; empty when the type names none.

    >>> service_of_resource("AwsS3Bucket"), service_of_resource("AWS::EC2::Volume"), service_of_resource("AwsAccount")
    ('s3', 'ec2', '')
    """
    if resource_type.startswith("AWS::") and resource_type.count("::") >= 2:
        return service_key(resource_type.split("::")[1], resource_type=resource_type)
    found = re.match(r"Aws([A-Z][a-z0-9]*)(?=[A-Z]|$)", resource_type)
    if found is None or found[1] == "Account":
        return ""
    folded = resource_type.removeprefix("Aws").casefold()  # "CloudTrailTrail" is of no service called "cloud"
    known = max((key for key in SERVICES if folded.startswith(key)), key=len, default="")
    return service_key(max(known, found[1], key=len), resource_type=resource_type)


@lru_cache(maxsize=4096)
def framework_key(name: str, *, provider: str = "aws") -> str:
    """The canonical key of a framework by any scanner's name for it.

    >>> framework_key("CIS-1.4"), framework_key("NIST-800-53-Revision-5"), framework_key("PCI-4.0")
    ('cis-aws', 'nist-800-53', 'pci-dss')
    >>> framework_key("CIS-2.0", provider="gcp")
    'cis-gcp'
    """
    whole = f".{requirement_key(name)}."
    for parts, key in _FRAMEWORK_PARTS.items():
        if f".{parts}." in whole:
            return f"cis-{provider}" if key == "cis-aws" and provider not in ("", "aws") else key
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60]


@lru_cache(maxsize=4096)
def requirement_name(framework: str, identity: str) -> str:
    """A requirement's identifier as people write it, from how Prowler's files spell it.

    >>> requirement_name("hipaa", "164_312_a_2_iv"), requirement_name("soc2", "cc_6_1")
    ('164.312(a)(2)(iv)', 'CC6.1')
    >>> requirement_name("nist-800-53", "ac_2_1"), requirement_name("gdpr", "article_32")
    ('AC-2(1)', 'Art. 32')
    """
    if framework == "hipaa" and (found := re.fullmatch(r"(\d{3})_(\d{3})((?:_\w+?)*)", identity)):
        return f"{found[1]}.{found[2]}" + "".join(f"({part})" for part in found[3].split("_") if part)
    if framework == "soc2" and (found := re.fullmatch(r"([a-z]{1,2})_(\d+)_(\d+)", identity)):
        return f"{found[1].upper()}{found[2]}.{found[3]}"
    if framework == "gdpr" and (found := re.fullmatch(r"article_(\d+)", identity)):
        return f"Art. {found[1]}"
    if framework == "nist-800-53" and (
        found := re.fullmatch(r"([a-z]{2})[_-](\d+)(?:[_.-](\d+))?(?:_[a-z])*", identity)
    ):
        return f"{found[1].upper()}-{found[2]}" + (f"({found[3]})" if found[3] else "")
    return identity


@lru_cache(maxsize=65_536)
def requirement_key(identity: str) -> str:
    """A requirement's parts, the same however it is written, so that its sub-requirements begin with it.

    >>> requirement_key("164_312_e_1"), requirement_key("164.312(e)(1)"), requirement_key("CC6.6")
    ('164.312.e.1', '164.312.e.1', 'cc.6.6')
    """
    return ".".join(_PARTS.findall(identity.casefold()))[:160]


def service_name(key: str) -> str:
    """``s3`` → S3, as people write it."""
    return SERVICES.get(key, key.upper() if len(key) <= 4 else key.capitalize())


def framework_name(key: str) -> str:
    """``pci-dss`` → PCI DSS, as people write it."""
    return FRAMEWORKS.get(key, key.upper() if len(key) <= 5 else key)
