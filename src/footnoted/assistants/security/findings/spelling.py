"""Writes an id a person typed as Security Hub writes it."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"(?i)(pci\.)?([a-z][a-z0-9]*)\.(\d{1,3})")
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


def spelled(name: str) -> str:
    """A control's id with its family in the capitals AWS uses; anything else as it is.

    >>> spelled("cloudtrail.1"), spelled("pci.s3.6"), spelled("bucket-1")
    ('CloudTrail.1', 'PCI.S3.6', 'bucket-1')
    """
    found = _CONTROL.fullmatch(name.strip())
    if found is None or found[2].casefold() not in _FAMILIES:
        return name
    return f"{'PCI.' if found[1] else ''}{_FAMILIES[found[2].casefold()]}.{found[3]}"
