"""How the site calls addresses that people have named: which ones it may call, signed, and with every answer
bounded. No tables here; what is sent when, `campaigns/notifications/deliveries.py` knows."""
