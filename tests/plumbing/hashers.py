from django.contrib.auth.hashers import PBKDF2PasswordHasher


class OneIterationHasher(PBKDF2PasswordHasher):
    """Programs with the site's own settings read these hashes, too."""

    iterations = 1
