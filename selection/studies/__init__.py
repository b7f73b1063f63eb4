"""How well forecasts and plans do on replays whose outcome is known. No product code imports it."""
