"""An OAuth 2.1 authorization server that lives in the test: it approves everything at once, is strict, keeps what it was asked, and lies or
misbehaves on demand.

    server = AuthorizationServer(path="/tenant1")
    server.lies["metadata"] = {"issuer": "https://other.example"}       # other values of members: with_lies()
    server.faults["token"] = once(status(500))                          # instead of the usual answer: authorization_faults.py
    server.asked("token")[-1].form["resource"]
"""

import json
import secrets
import time
import urllib.error
import urllib.request
from urllib.parse import parse_qsl, urlencode, urlsplit

from support.authorization_faults import with_lies
from support.authorization_grants import basic_credentials, Client, Grants, LOOPBACK, OauthError
from support.http_child import Reply
from support.small_server import json_reply, SmallServer

ENDPOINTS = ("metadata", "authorize", "token", "register", "revoke")
DOCUMENTS = ("oauth", "oidc", "oidc_after")
METHODS = ("none", "client_secret_basic", "client_secret_post")
GRANTS = ("authorization_code", "refresh_token", "client_credentials")
HOPS_MAX = 10


def browse(url):
    """What a browser of a user who agrees to all does: follows redirects. Gives (status, body, addresses on the way)."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None
    opener, way = urllib.request.build_opener(Stay, urllib.request.ProxyHandler({})), [url]
    while len(way) <= HOPS_MAX:
        try:
            with opener.open(way[-1], timeout=30) as answer:
                return answer.status, answer.read(), way
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in (301, 302, 303, 307, 308):
                    return error.code, error.read(), way
                way.append(error.headers["Location"])
    raise AssertionError(f"more than {HOPS_MAX} redirects: {way[-1]}")


class AuthorizationServer(SmallServer):
    """`path`: of its issuer. `documents`: which forms of metadata it has. `scopes`: the ones it knows, None: any, and it does not list them.
    `keywords` set attributes of that name, which tests may also change later."""

    def __init__(self, path="", **keywords):
        super().__init__()
        self.path, self.issuer = path, self.origin + path
        self.documents = DOCUMENTS
        self.scopes = None
        self.methods, self.supported_grants = METHODS, GRANTS
        self.has_registration = True
        self.takes_client_documents = False
        self.client_documents = {}       # by URL: what would be found there; others are fetched, from loopback addresses only
        self.says_issuer = True          # iss in redirects, and says so in the metadata
        self.refresh_tokens = "always"   # "never", "offline_access": if that was asked for
        self.rotates = True
        self.says_scope = True           # in answers with tokens
        self.lifetime = 3600             # seconds, of access tokens
        self.authorize_error = None      # "access_denied": the user says no
        self.lies = {"metadata": {}, "authorize": {}, "token": {}, "register": {}}
        self.faults = {}
        self.clients, self.grants = {}, Grants()
        self.deviations = []             # what a client should not do, in words: also what is let pass
        for name, value in keywords.items():
            if not hasattr(self, name):
                raise TypeError(f"there is no {name}")
            setattr(self, name, value)

    # ---- for tests

    def add_client(self, client_id="known", secret=None, method=None, redirect_uris=("http://127.0.0.1/callback",), grants=GRANTS):
        """One that was registered by hand."""
        client = Client(client_id, secret, method or ("client_secret_basic" if secret else "none"), tuple(redirect_uris), tuple(grants))
        self.clients[client_id] = client
        return client

    def asked(self, endpoint):
        return [asked for asked in self.journal if self.endpoint_of(asked.path) == endpoint]

    def token(self, value):
        return self.grants.token(value)

    def issue(self, scope="", resource=None, client="known"):
        """An access token without any dance."""
        scope = tuple(scope.split())
        return self.grants.new_access(self.grants.new_family(client, scope, resource), scope, resource, self.lifetime).value

    def expire_access_tokens(self):
        for token in self.grants.access.values():
            token.expires = time.monotonic() - 1

    def revoke_everything(self):
        for family in self.grants.families:
            self.grants.revoke_family(family)

    def metadata_paths(self):
        well_known = "/.well-known/"
        paths = {"oauth": well_known + "oauth-authorization-server" + self.path, "oidc": well_known + "openid-configuration" + self.path,
                 "oidc_after": self.path + well_known + "openid-configuration"}
        return {paths[each]: each for each in self.documents}

    def endpoint_of(self, path):
        """None: nothing is there."""
        if path in self.metadata_paths():
            return "metadata"
        name = path[len(self.path) + 1:] if path.startswith(self.path + "/") else ""
        return name if name in ENDPOINTS[1:] else None

    # ---- answers

    def answer(self, asked):
        endpoint = self.endpoint_of(asked.path)
        if endpoint is None:
            return Reply(404)
        fault = self.faults.get(endpoint)
        return (fault and fault(self, asked)) or self.usual(asked)

    def usual(self, asked):
        endpoint = self.endpoint_of(asked.path)
        wanted = "GET" if endpoint in ("metadata", "authorize") else "POST"
        if asked.method != wanted:
            self._deviation(f"{asked.method} of {endpoint}")
            return Reply(405)
        if asked.repeated:
            self._deviation(f"{asked.repeated} came more than once")
            return json_reply({"error": "invalid_request"}, 400)
        try:
            return getattr(self, f"_{endpoint}")(asked)
        except OauthError as error:
            return json_reply({"error": error.error, "error_description": str(error)}, error.status, error.headers)

    def _deviation(self, text):
        self.deviations.append(text)

    def _metadata(self, asked):
        url = self.issuer
        document = {"issuer": url, "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token", "revocation_endpoint": f"{url}/revoke",
                    "response_types_supported": ["code"], "grant_types_supported": list(self.supported_grants),
                    "token_endpoint_auth_methods_supported": list(self.methods), "code_challenge_methods_supported": ["S256"]}
        if self.has_registration:
            document["registration_endpoint"] = f"{url}/register"
        if self.scopes is not None:
            document["scopes_supported"] = list(self.scopes)
        if self.says_issuer:
            document["authorization_response_iss_parameter_supported"] = True
        if self.takes_client_documents:
            document["client_id_metadata_document_supported"] = True
        if self.metadata_paths()[asked.path] != "oauth":
            document.update({"jwks_uri": f"{url}/keys", "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]})
        return json_reply(with_lies(document, self.lies["metadata"]))

    def _authorize(self, asked):
        query = asked.query
        client = self._client_named(query.get("client_id"))
        if not client.may_return_to(query.get("redirect_uri", "")):
            self._deviation(f"the redirect_uri {query.get('redirect_uri')} is not registered")
            raise OauthError("invalid_request", "redirect_uri is not registered")  # and is not gone to
        try:
            found = {"code": self._approve(client, query)}
        except OauthError as error:
            found = {"error": error.error, "error_description": str(error)}
        if "state" in query:
            found["state"] = query["state"]
        else:
            self._deviation("a request to authorize without state")
        if self.says_issuer:
            found["iss"] = self.issuer
        back = urlsplit(query["redirect_uri"])
        pairs = parse_qsl(back.query) + list(with_lies(found, self.lies["authorize"]).items())
        return Reply(302, {"Location": back._replace(query=urlencode(pairs)).geturl()})

    def _approve(self, client, query):
        if self.authorize_error:
            raise OauthError(self.authorize_error, "the user says no")
        if query.get("response_type") != "code":
            raise OauthError("unsupported_response_type", "only code")
        if query.get("code_challenge_method") != "S256" or len(query.get("code_challenge", "")) != 43:
            self._deviation("a request to authorize without PKCE of S256")
            raise OauthError("invalid_request", "code_challenge of S256 is needed")
        scope = self._scope(query)
        self._look_at_resource(query, "authorize")
        return self.grants.new_code(client.id, scope, query.get("resource"), query["redirect_uri"], query["code_challenge"]).value

    def _scope(self, pairs):
        scope = tuple(pairs.get("scope", "").split())
        unknown = [each for each in scope if self.scopes is not None and each not in self.scopes]
        if unknown:
            raise OauthError("invalid_scope", f"nobody knows {unknown}")
        return scope

    def _look_at_resource(self, pairs, where):
        resource = pairs.get("resource")
        if resource is None:
            self._deviation(f"a request to {where} without resource")
        elif not urlsplit(resource).scheme or urlsplit(resource).fragment:
            raise OauthError("invalid_target", "resource is no absolute URI without a fragment")

    # ---- tokens

    def _token(self, asked):
        form, client = asked.form, self._authenticated(asked)
        if asked.query:
            self._deviation("parameters in the address of the token endpoint")
        grant = form.get("grant_type")
        if grant not in self.supported_grants:
            raise OauthError("unsupported_grant_type", f"no {grant}")
        if grant not in client.grants:
            raise OauthError("unauthorized_client", f"no {grant} for that client")
        self._look_at_resource(form, "token")
        family, scope = getattr(self, f"_by_{grant}")(form, client)
        resource = form.get("resource", family.resource)
        if family.resource and resource != family.resource:
            raise OauthError("invalid_target", f"approved was {family.resource}")
        return self._give(family, scope, resource, grant)

    def _by_authorization_code(self, form, client):
        family = self.grants.redeem(form.get("code"), client, form.get("redirect_uri"), form.get("code_verifier"))
        return family, family.scope

    def _by_refresh_token(self, form, client):
        family = self.grants.family_to_refresh(form.get("refresh_token"), client)
        scope = self._scope(form) or family.scope
        if not set(scope) <= set(family.scope):
            raise OauthError("invalid_scope", "a refresh does not widen")
        return family, scope

    def _by_client_credentials(self, form, client):
        if client.secret is None:
            raise OauthError("unauthorized_client", "only of clients with a secret")
        scope = self._scope(form)
        return self.grants.new_family(client.id, scope, form.get("resource")), scope

    def _give(self, family, scope, resource, grant):
        answer = {"access_token": self.grants.new_access(family, scope, resource, self.lifetime).value, "token_type": "Bearer", "expires_in": self.lifetime}
        if scope and self.says_scope:
            answer["scope"] = " ".join(scope)
        if grant != "client_credentials" and self._gives_refresh_token(family):
            if self.rotates or not family.refresh:
                answer["refresh_token"] = self.grants.new_refresh(family)
        return json_reply(with_lies(answer, self.lies["token"]), headers={"Cache-Control": "no-store"})

    def _gives_refresh_token(self, family):
        return self.refresh_tokens == "always" or (self.refresh_tokens == "offline_access" and "offline_access" in family.scope)

    def _revoke(self, asked):
        client, value = self._authenticated(asked), asked.form.get("token")
        if value is None:
            raise OauthError("invalid_request", "no token")
        family = self.grants.refresh.get(value) or getattr(self.grants.access.get(value), "family", None)
        if family and family.client != client.id:
            self._deviation("a client revokes a token of another one")
        elif family:
            self.grants.revoke(value)
        return Reply(200)

    # ---- clients

    def _authenticated(self, asked):
        header, form = asked.headers.get("authorization", ""), asked.form
        if "client_secret" in asked.query:
            self._deviation("a secret in the address")
        if header and "client_secret" in form:
            self._deviation("a client says its secret in two ways")
            raise OauthError("invalid_request", "one way only")
        used = "client_secret_basic" if header.startswith("Basic ") else "client_secret_post" if "client_secret" in form else "none"
        name, secret = basic_credentials(header) if header.startswith("Basic ") else (form.get("client_id"), form.get("client_secret"))
        refused = OauthError("invalid_client", "who are you?", 401, {"WWW-Authenticate": "Basic"} if header else {})
        try:
            client = self._client_named(name)
        except OauthError:
            raise refused from None
        if used != client.method or used not in self.methods:
            self._deviation(f"{client.id} is registered for {client.method} and comes with {used}")
            raise refused
        if (secret or None) != client.secret:
            raise refused
        return client

    def _client_named(self, name):
        client = self.clients.get(name)
        if client is None and self.takes_client_documents and urlsplit(name or "").scheme in ("http", "https"):
            client = self._client_of_document(name)
        if client is None:
            raise OauthError("invalid_client", f"nobody knows {name}")
        return client

    def _client_of_document(self, url):
        document = self.client_documents.get(url) or self._fetched(url)
        if document.get("client_id") != url or not document.get("client_name") or not document.get("redirect_uris"):
            self._deviation(f"the document of {url} lacks client_id, client_name or redirect_uris, or is of another one")
            raise OauthError("invalid_client", "the document does not fit")
        return Client(url, None, "none", tuple(document["redirect_uris"]), tuple(document.get("grant_types", GRANTS[:1])), document)

    @staticmethod
    def _fetched(url):
        if urlsplit(url).hostname not in LOOPBACK:
            raise OauthError("invalid_client", "only documents on this machine are fetched")
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10) as answer:
                return json.loads(answer.read())
        except (OSError, ValueError) as error:
            raise OauthError("invalid_client", f"no document: {error}") from None

    def _register(self, asked):
        wanted = asked.json()
        if not self.has_registration:
            return Reply(404)
        if not isinstance(wanted, dict) or not all(isinstance(each, str) for each in wanted.get("redirect_uris", [])):
            raise OauthError("invalid_client_metadata", "no object of client metadata")
        grants, uris = tuple(wanted.get("grant_types", GRANTS[:1])), tuple(wanted.get("redirect_uris", ()))
        method = wanted.get("token_endpoint_auth_method", "client_secret_basic")
        if "authorization_code" in grants and not uris:
            raise OauthError("invalid_redirect_uri", "redirect_uris is missing")
        if any(urlsplit(uri).scheme != "https" and urlsplit(uri).hostname not in LOOPBACK for uri in uris):
            raise OauthError("invalid_redirect_uri", "neither https nor of this machine")
        if method not in self.methods:
            raise OauthError("invalid_client_metadata", f"no {method}")
        if wanted.get("application_type") != "native":
            self._deviation("a registration for addresses of this machine without application_type native")
        client = Client("client-" + secrets.token_hex(8), None if method == "none" else secrets.token_urlsafe(24), method, uris, grants, wanted)
        self.clients[client.id] = client
        secret = {"client_secret": client.secret, "client_secret_expires_at": 0} if client.secret else {}
        answer = {**wanted, "client_id": client.id, "client_id_issued_at": int(time.time()), "grant_types": list(grants),
                  "token_endpoint_auth_method": method, **secret}
        return json_reply(with_lies(answer, self.lies["register"]), 201)
