"""Tools that agents call, through servers of the Model Context Protocol that a user names."""
