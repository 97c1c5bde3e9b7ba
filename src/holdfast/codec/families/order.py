"""All families, in the order in which a class is tried: an enum may also be an int, and a dataclass a dict."""

from holdfast.codec.families.base_family import families
from holdfast.codec.families.builtin_subclasses import SUBCLASSES
from holdfast.codec.families.enums import Enums
from holdfast.codec.families.field_classes import Attrs, Dataclasses, NamedTuples, Structs
from holdfast.codec.families.pydantic_models import Models
from holdfast.codec.families.slots_classes import SlotClasses

families[:] = [SlotClasses(), Enums(), NamedTuples(), Structs(), Models(), *SUBCLASSES, Dataclasses(), Attrs()]
