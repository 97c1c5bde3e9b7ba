"""How the versions of a channel are stored: value logs, patches, manifests and digests."""
