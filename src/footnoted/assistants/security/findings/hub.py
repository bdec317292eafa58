"""The ids of Security Hub's controls: of today by the names of older standards, and as AWS writes them.

These are AWS's own identifiers, so that one control of the catalogue is found whichever standard (CIS 1.2.0,
PCI DSS 3.2.1) reported it.
"""

from __future__ import annotations

_CIS = """
1.1 CloudWatch.1 · 1.2 IAM.5 · 1.3 IAM.8 · 1.4 IAM.3 · 1.5 IAM.11 · 1.6 IAM.12 · 1.7 IAM.13 · 1.8 IAM.14 · 1.9 IAM.15
1.10 IAM.16 · 1.11 IAM.17 · 1.12 IAM.4 · 1.13 IAM.9 · 1.14 IAM.6 · 1.16 IAM.2 · 1.20 IAM.18 · 1.22 IAM.1
2.1 CloudTrail.1 · 2.2 CloudTrail.4 · 2.3 CloudTrail.6 · 2.4 CloudTrail.5 · 2.5 Config.1 · 2.6 CloudTrail.7
2.7 CloudTrail.2 · 2.8 KMS.4 · 2.9 EC2.6 · 3.1 CloudWatch.2 · 3.2 CloudWatch.3 · 3.3 CloudWatch.1 · 3.4 CloudWatch.4
3.5 CloudWatch.5 · 3.6 CloudWatch.6 · 3.7 CloudWatch.7 · 3.8 CloudWatch.8 · 3.9 CloudWatch.9 · 3.10 CloudWatch.10
3.11 CloudWatch.11 · 3.12 CloudWatch.12 · 3.13 CloudWatch.13 · 3.14 CloudWatch.14 · 4.1 EC2.13 · 4.2 EC2.14 · 4.3 EC2.2
"""
_PCI = """
AutoScaling.1 AutoScaling.1 · CloudTrail.1 CloudTrail.2 · CloudTrail.2 CloudTrail.3 · CloudTrail.3 CloudTrail.4
CloudTrail.4 CloudTrail.5 · CodeBuild.1 CodeBuild.1 · CodeBuild.2 CodeBuild.2 · Config.1 Config.1 · CW.1 CloudWatch.1
DMS.1 DMS.1 · EC2.1 EC2.1 · EC2.2 EC2.2 · EC2.4 EC2.12 · EC2.5 EC2.13 · EC2.6 EC2.6 · ELBV2.1 ELB.1
ES.1 ES.2 · ES.2 ES.1
GuardDuty.1 GuardDuty.1 · IAM.1 IAM.4 · IAM.2 IAM.2 · IAM.3 IAM.1 · IAM.4 IAM.6 · IAM.5 IAM.9 · IAM.6 IAM.19
IAM.7 IAM.8 · IAM.8 IAM.10 · KMS.1 KMS.4 · Lambda.1 Lambda.1 · Lambda.2 Lambda.3 · RDS.1 RDS.1
RDS.2 RDS.2 · Redshift.1 Redshift.1
S3.1 S3.3 · S3.2 S3.2 · S3.3 S3.7 · S3.4 S3.4 · S3.5 S3.5 · S3.6 S3.1
SageMaker.1 SageMaker.1 · SSM.1 SSM.2
SSM.2 SSM.3 · SSM.3 SSM.1
"""
_FAMILIES = {
    name.casefold(): name
    for name in (
        "Account ACM APIGateway AppSync Athena AutoScaling Backup CloudFormation CloudFront CloudTrail CloudWatch"
        " CodeArtifact CodeBuild Cognito Config DataFirehose Detective DMS DocumentDB DynamoDB EC2 ECR ECS EFS EKS"
        " ElastiCache ElasticBeanstalk ELB EMR ES EventBridge FSx Glue GuardDuty IAM Inspector Kinesis KMS Lambda Macie"
        " MQ MSK Neptune NetworkFirewall Opensearch PCA RDS Redshift Route53 S3 SageMaker SecretsManager SNS SQS SSM"
        " StepFunctions WAF WorkSpaces CW ELBV2"
    ).split()
}


def _table(text: str, prefix: str) -> dict[str, str]:
    pairs = (pair.split() for line in text.strip().splitlines() for pair in line.split("·"))
    return {f"{prefix}{old}": new for old, new in pairs}


TODAY = _table(_CIS, "CIS.") | _table(_PCI, "PCI.")


def control_of_today(check_id: str) -> str:
    """The control id of today; what had no other name keeps its own.

    >>> control_of_today("PCI.S3.6"), control_of_today("CIS.1.5"), control_of_today("S3.8")
    ('S3.1', 'IAM.11', 'S3.8')
    """
    return TODAY.get(check_id, check_id)


def spelled(name: str) -> str:
    """A control's id with its family in the capitals AWS uses; anything else as it is.

    >>> spelled("cloudtrail.1"), spelled("pci.s3.6"), spelled("bucket-1")
    ('CloudTrail.1', 'PCI.S3.6', 'bucket-1')
    """
    folded = name.strip().casefold()
    family, _, number = folded.removeprefix("pci.").partition(".")
    if family not in _FAMILIES or not number.isdecimal() or len(number) > len("999"):
        return name
    return f"{'PCI.' if folded.startswith('pci.') else ''}{_FAMILIES[family]}.{number}"
