/** Who the caller is, tokens of programs and users with passwords (docs/roles.md, docs/api.md#api-tokens, docs/security.md#local-users). */
import type { Case, Expected } from "../Case.ts"

const data = (value: Expected): Expected => ({ status: "success", data: value })
const error = (message: string | RegExp): Expected => ({ status: "error", message })

const caller: ReadonlyArray<Case> = [
  {
    name: "the ways in, without a token",
    request: { method: "GET", path: "/auth/ways", user: null },
    reply: { status: 200, body: data({ provider: null }) }
  },
  {
    name: "the name of the caller, bare",
    request: { method: "GET", path: "/auth/identity", user: "indy" },
    reply: { status: 200, body: "indy" }
  },
  {
    name: "the caller's permissions, bare; everything without roles",
    request: { method: "GET", path: "/auth/permissions" },
    reply: { status: 200, body: [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }] }
  },
  {
    name: "whether a call would be allowed",
    request: { method: "GET", path: "/auth/explain?method=GET&path=/devices" },
    reply: { status: 200, body: data({ allowed: true, reason: "there are no roles: everything is allowed" }) }
  },
  ...["method=BREW&path=/devices", "path=/devices", "method=BREW&method=PUT&path=/devices"].map((query): Case => ({
    name: "that this is no method",
    request: { method: "GET", path: `/auth/explain?${query}` },
    reply: { status: 400, body: error("method: expected one of GET, POST, PUT, DELETE") }
  })),
  {
    name: "the roles, the ready ones without a file",
    request: { method: "GET", path: "/auth/roles" },
    reply: {
      status: 200,
      body: data({
        roles: [
          "reader",
          "port-editor",
          "provisioner",
          "operator",
          "administrator",
          "auditor",
          "dhcp-hook",
          "monitoring"
        ].map((name) => ({ name, is_ready: true, is_held: false })),
        remark: /^permissions.yml is not there/
      })
    }
  },
  {
    name: "that a path is missing",
    request: { method: "GET", path: "/auth/explain?method=GET" },
    reply: { status: 400, body: error(/^path: expected a path behind/) }
  }
]

/** A valid token, and one that was revoked. */
const tokens = [
  `insert into api_token (name, hash, roles, created_by, expires_at) values
    ('dhcp', repeat('a', 64), '{dhcp-hook}', 'admin', now() + interval '1 year')`,
  `insert into api_token (name, hash, roles, created_by, expires_at, revoked_at) values
    ('old', repeat('b', 64), '{}', 'admin', now() + interval '1 year', now())`
]
const token: Expected = { id: 1, name: "dhcp", roles: ["dhcp-hook"], created_by: "admin", revoked_at: null }

const programs: ReadonlyArray<Case> = [
  {
    name: "all tokens, without their text",
    given: tokens,
    request: { method: "GET", path: "/auth/tokens" },
    reply: { status: 200, body: data({ tokens: [token, { id: 2, name: "old" }] }) }
  },
  {
    name: "the token, this once",
    request: { method: "POST", path: "/auth/tokens", json: { name: "nms", roles: ["monitoring"], days: 30 } },
    reply: { status: 201, body: data({ token: /^swy_/, added_token: { name: "nms", roles: ["monitoring"] } }) }
  },
  {
    name: "why the name does not fit",
    request: { method: "POST", path: "/auth/tokens", json: { name: "n m s" } },
    reply: { status: 400, body: error(/^name: expected 1 to 64/) }
  },
  {
    name: "that the name is that of another one",
    given: tokens,
    request: { method: "POST", path: "/auth/tokens", json: { name: "dhcp" } },
    reply: { status: 409, body: error("There is a token dhcp already: revoke it first, or choose another name") }
  },
  {
    name: "the revoked token",
    given: tokens,
    request: { method: "DELETE", path: "/auth/tokens/1" },
    reply: { status: 200, body: data({ revoked_token: { id: 1, name: "dhcp", revoked_at: /^\d{4}-/ } }) }
  },
  {
    name: "that it was revoked already",
    given: tokens,
    request: { method: "DELETE", path: "/auth/tokens/2" },
    reply: { status: 404, body: error("Token not found") }
  }
]

/** An administrator and another user. */
const people = [
  `insert into local_user (name, hash, roles, break_glass) values ('ann', 'x', '{administrator}', false), ('rita', 'x', '{reader}', false)`
]
const PASSWORD = "seven green bicycles"

const users: ReadonlyArray<Case> = [
  {
    name: "all users",
    given: people,
    request: { method: "GET", path: "/auth/users" },
    reply: { status: 200, body: data({ users: [{ name: "ann" }, { name: "rita", roles: ["reader"] }] }) }
  },
  {
    name: "the new user",
    request: { method: "POST", path: "/auth/users", json: { name: "kim", roles: ["operator"], password: PASSWORD } },
    reply: {
      status: 201,
      body: data({ added_user: { name: "kim", roles: ["operator"], break_glass: false, enabled: true } })
    }
  },
  {
    name: "that the password is short",
    request: { method: "POST", path: "/auth/users", json: { name: "kim", password: "short" } },
    reply: { status: 400, body: error("password: expected 12 to 256 characters") }
  },
  {
    name: "that the name is taken",
    given: people,
    request: { method: "POST", path: "/auth/users", json: { name: "rita", password: PASSWORD } },
    reply: { status: 409, body: error("There is a user rita already") }
  },
  {
    name: "the user with other roles",
    given: people,
    request: { method: "PUT", path: "/auth/users/rita", json: { roles: ["operator"] } },
    reply: { status: 200, body: data({ updated_user: { name: "rita", roles: ["operator"] } }) }
  },
  {
    name: "that nothing is to be changed",
    given: people,
    request: { method: "PUT", path: "/auth/users/rita", json: {} },
    reply: { status: 400, body: error("Nothing to change: expected roles, password or enabled") }
  },
  {
    name: "an error for an unknown user",
    request: { method: "PUT", path: "/auth/users/rita", json: { password: PASSWORD } },
    reply: { status: 404, body: error("There is no user rita") }
  },
  {
    name: "that the last administrator stays one",
    given: people,
    request: { method: "PUT", path: "/auth/users/ann", json: { roles: ["reader"] } },
    reply: { status: 409, body: error("ann is the last user who may do everything: make another one first") }
  },
  {
    name: "who was removed",
    given: people,
    request: { method: "DELETE", path: "/auth/users/rita" },
    reply: { status: 200, body: data({ deleted_user: { name: "rita" } }) }
  },
  {
    name: "an error for an unknown user",
    request: { method: "DELETE", path: "/auth/users/rita" },
    reply: { status: 404, body: error("There is no user rita") }
  },
  {
    name: "that the last administrator stays",
    given: people,
    request: { method: "DELETE", path: "/auth/users/ann" },
    reply: { status: 409, body: error("ann is the last user who may do everything: make another one first") }
  }
]

const persons: ReadonlyArray<Case> = [
  {
    name: "everybody who has called, and users who have not yet",
    given: people,
    request: { method: "GET", path: "/auth/persons" },
    reply: { status: 200 }
  },
  {
    name: "who was withdrawn",
    given: people,
    request: { method: "POST", path: "/auth/persons/withdraw", json: { person: "local:rita" } },
    reply: {
      status: 200,
      body: data({ withdrawn_person: { person: "local:rita", name: "rita", withdrawn_by: "admin" }, ended_tokens: 0 })
    },
    afterwards: [{ path: "/auth/users", body: data({ users: [{ name: "ann" }, { name: "rita", enabled: false }] }) }]
  },
  {
    name: "that no person is named",
    request: { method: "POST", path: "/auth/persons/withdraw", json: {} },
    reply: { status: 400, body: error("person: expected the key of a person, as GET /auth/persons has it") }
  },
  {
    name: "an error for an unknown person",
    request: { method: "POST", path: "/auth/persons/withdraw", json: { person: "oidc:https://sso.example.org x" } },
    reply: { status: 404, body: error("There is no person oidc:https://sso.example.org x") }
  },
  {
    name: "that the last administrator stays one",
    given: people,
    request: { method: "POST", path: "/auth/persons/withdraw", json: { person: "local:ann" } },
    reply: { status: 409, body: error("ann is the last user who may do everything: make another one first") }
  },
  {
    name: "the person who is admitted again",
    given: people,
    request: { method: "POST", path: "/auth/persons/admit", json: { person: "local:rita" } },
    reply: { status: 200, body: data({ admitted_person: { person: "local:rita", withdrawn_at: null } }) }
  },
  {
    name: "that the person is no text",
    request: { method: "POST", path: "/auth/persons/admit", json: { person: 7 } },
    reply: { status: 400, body: error("person: expected the key of a person, as GET /auth/persons has it") }
  },
  {
    name: "an error for an unknown person",
    request: { method: "POST", path: "/auth/persons/admit", json: { person: "nobody" } },
    reply: { status: 404, body: error("There is no person nobody") }
  }
]

/** A request of maria that waits, and one that was rejected. */
const waiting = [
  ...people,
  "delete from request_approval",
  ...[
    [901, "null"],
    [902, "'rejected'"]
  ].map(
    ([
      id,
      decision
    ]) => `insert into request_approval (id, operation, method, path, asked_by, asked_person, asked_identity,
        expires_at, decision) overriding system value
      values (${id}, 'a user is removed', 'DELETE', '/auth/users/rita', 'maria', 'jwt: maria',
        '{"name": "maria", "way": "jwt", "person": "jwt: maria", "roles": [], "attributes": {}}', now() + interval '1 hour', ${decision})`
  )
]
const comment = { comment: "as agreed" }
const NONE = "There is no such request that waits for an approval"

const approvals: ReadonlyArray<Case> = [
  {
    name: "the requests that wait for another person",
    given: waiting,
    request: { method: "GET", path: "/approvals" },
    reply: {
      status: 200,
      body: data({
        approvals: [
          { id: 902, decision: "rejected" },
          { id: 901, decision: null }
        ]
      })
    }
  },
  {
    name: "the request that was carried out",
    given: waiting,
    request: { method: "POST", path: "/approvals/901/approve", json: comment },
    reply: { status: 200, body: data({ approval: { id: 901, decision: "approved", answer: { status: 200 } } }) },
    afterwards: [{ path: "/auth/users", body: data({ users: [{ name: "ann" }] }) }]
  },
  {
    name: "the request that was rejected",
    given: waiting,
    request: { method: "POST", path: "/approvals/901/reject", json: comment },
    reply: { status: 200, body: data({ approval: { id: 901, decision: "rejected", decided_by: "admin" } }) },
    afterwards: [{ path: "/auth/users", body: data({ users: [{ name: "ann" }, { name: "rita" }] }) }]
  },
  ...["approve", "reject"].flatMap((verb): ReadonlyArray<Case> => [
    {
      name: "that a comment is missing",
      given: waiting,
      request: { method: "POST", path: `/approvals/901/${verb}`, json: {} },
      reply: { status: 400, body: error("comment must be specified") }
    },
    {
      name: "an error for an unknown request",
      request: { method: "POST", path: `/approvals/999/${verb}`, json: comment },
      reply: { status: 404, body: error(NONE) }
    },
    {
      name: "that it was decided",
      given: waiting,
      request: { method: "POST", path: `/approvals/902/${verb}`, json: comment },
      reply: { status: 409, body: error("Request 902 waits for no approval: it is rejected") }
    }
  ])
]

const login: ReadonlyArray<Case> = [
  {
    name: "an error without password logins",
    request: { method: "POST", path: "/auth", user: null, headers: { authorization: "Basic YW5uOng=" } },
    reply: { status: 404, body: error("Not Found") }
  }
]

/** Every answer about callers and ways in. */
export const signOnCases: ReadonlyArray<Case> = [...caller, ...programs, ...users, ...persons, ...approvals, ...login]

// Signing on at an identity provider, at a server that has none (docs/sign-on.md).

const off = (method: "GET" | "POST", path: string): Case => ({
  name: "an error without a provider, without a token",
  request: { method, path, user: null },
  reply: {
    status: 404,
    body: { status: "error", message: "Can't login when OIDC disabled" },
    headers: { "set-cookie": null, location: null }
  }
})

export const providerCases: ReadonlyArray<Case> = [
  off("GET", "/auth/login"),
  off("GET", "/auth/auth?code=x&state=y"),
  off("GET", "/auth/auth"),
  off("POST", "/auth/refresh"),
  off("POST", "/auth/logout"),
  ...(["POST", "DELETE"] as const).map((method): Case => ({
    name: "an error without the cookie of the page",
    request: { method, path: "/auth/session", user: null },
    reply: {
      status: 401,
      body: { status: "error", message: "JWT token missing?" },
      headers: { "set-cookie": null }
    }
  }))
]
