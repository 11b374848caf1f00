"""What an authorization server of the tests has given away: clients, codes, and tokens in families of one approval."""

import base64
import hashlib
import re
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Optional
from urllib.parse import unquote_plus, urlsplit

VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class OauthError(Exception):
    """Becomes the answer of RFC 6749."""

    def __init__(self, error, description, status=400, headers=None):
        super().__init__(description)
        self.error, self.status, self.headers = error, status, headers or {}


@dataclass
class Client:
    id: str
    secret: Optional[str] = None
    method: str = "none"  # token_endpoint_auth_method
    redirect_uris: tuple = ()
    grants: tuple = ("authorization_code", "refresh_token")
    document: dict = field(default_factory=dict)  # as it was registered

    def may_return_to(self, uri):
        """The port of a loopback address may be another one: RFC 8252, 7.3."""
        def comparable(each):
            parts = urlsplit(each)
            return parts._replace(netloc=parts.hostname or "") if parts.scheme == "http" and parts.hostname in LOOPBACK else parts
        return any(comparable(uri) == comparable(each) for each in self.redirect_uris)


@dataclass
class Family:
    """All tokens that come of one approval."""
    client: str
    scope: tuple
    resource: Optional[str]
    access: list = field(default_factory=list)
    refresh: list = field(default_factory=list)  # the last one is the valid one
    is_revoked: bool = False


@dataclass
class Code:
    value: str
    family: Family
    redirect_uri: str
    challenge: str
    expires: float
    is_used: bool = False


@dataclass
class Token:
    value: str
    family: Family
    scope: tuple
    resource: Optional[str]
    expires: float
    is_revoked: bool = False


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def basic_credentials(header):
    """Both parts are coded as in forms before they are put together: RFC 6749, 2.3.1."""
    try:
        client, _, secret = base64.b64decode(header[len("Basic "):], validate=True).decode().partition(":")
    except ValueError:
        raise OauthError("invalid_client", "the credentials are not coded as they have to be", 401) from None
    return unquote_plus(client), unquote_plus(secret)


class Grants:
    def __init__(self):
        self.codes, self.access, self.refresh, self.families = {}, {}, {}, []
        self._lock = threading.RLock()

    def new_code(self, client, scope, resource, redirect_uri, challenge, seconds=60):
        code = Code("code-" + secrets.token_urlsafe(24), Family(client, scope, resource), redirect_uri, challenge, time.monotonic() + seconds)
        with self._lock:
            self.codes[code.value] = code
            self.families.append(code.family)
        return code

    def new_family(self, client, scope, resource):
        family = Family(client, scope, resource)
        with self._lock:
            self.families.append(family)
        return family

    def redeem(self, value, client, redirect_uri, verifier):
        """The family of a code. One that comes twice was stolen: all that came of it ends."""
        with self._lock:
            code = self.codes.get(value)
            if code is None or code.family.client != client.id:
                raise OauthError("invalid_grant", "there is no such code for that client")
            if code.is_used:
                self.revoke_family(code.family)
                raise OauthError("invalid_grant", "the code was used before")
            if code.expires < time.monotonic():
                raise OauthError("invalid_grant", "the code has expired")
            if code.redirect_uri != redirect_uri:
                raise OauthError("invalid_grant", f"the code was sent to {code.redirect_uri}, not to {redirect_uri}")
            if not VERIFIER.fullmatch(verifier or ""):
                raise OauthError("invalid_grant", "code_verifier is missing or none")
            if challenge_of(verifier) != code.challenge:
                raise OauthError("invalid_grant", "code_verifier does not fit code_challenge")
            code.is_used = True
            return code.family

    def new_access(self, family, scope, resource, seconds):
        token = Token("access-" + secrets.token_urlsafe(24), family, scope, resource, time.monotonic() + seconds)
        with self._lock:
            family.access.append(token.value)
            self.access[token.value] = token
        return token

    def new_refresh(self, family):
        with self._lock:
            value = "refresh-" + secrets.token_urlsafe(24)
            family.refresh.append(value)
            self.refresh[value] = family
        return value

    def family_to_refresh(self, value, client):
        """A refresh token that was exchanged before was stolen, or its client has lost the answer: nobody knows which."""
        with self._lock:
            family = self.refresh.get(value)
            if family is None or family.client != client.id:
                raise OauthError("invalid_grant", "there is no such refresh token for that client")
            if family.is_revoked:
                raise OauthError("invalid_grant", "the refresh token was revoked")
            if family.refresh[-1] != value:
                self.revoke_family(family)
                raise OauthError("invalid_grant", "the refresh token was used before: its whole family is revoked")
            return family

    def revoke_family(self, family):
        family.is_revoked = True

    def revoke(self, value):
        """RFC 7009: what is not known is none of an error."""
        with self._lock:
            if value in self.refresh:
                self.revoke_family(self.refresh[value])
            elif value in self.access:
                self.access[value].is_revoked = True

    def token(self, value):
        """None: nobody may do anything with it, any more or ever."""
        with self._lock:
            token = self.access.get(value)
            is_good = token and not token.is_revoked and not token.family.is_revoked and token.expires > time.monotonic()
            return token if is_good else None
