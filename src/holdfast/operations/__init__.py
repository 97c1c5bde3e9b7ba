"""What each public call does, written once for both façades."""
