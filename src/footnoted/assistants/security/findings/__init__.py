"""A scanner's file in; findings kept, a tenant each, and pages of them out."""
