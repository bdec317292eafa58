"""The catalogue of controls, one file a service, checked and ready to look up."""

from footnoted.assistants.security.catalogue.control import FRAMEWORKS, SEVERITIES, Control
from footnoted.assistants.security.catalogue.load import load_catalogue, read_controls

__all__ = ["FRAMEWORKS", "SEVERITIES", "Control", "load_catalogue", "read_controls"]
