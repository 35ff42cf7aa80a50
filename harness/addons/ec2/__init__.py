"""Hosts on EC2 for a campaign: started within a limit of cost, listed, and removed, all by their tags."""
