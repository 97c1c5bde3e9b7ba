"""What threads do: lists, forks, copies, transfers, deletion, namespaces and ids."""
