"""Pages of teams: what a team hands in and sees, what the organiser does with it, and the leaderboard."""
