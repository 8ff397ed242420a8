/** Signing on at an identity provider, at a server that has none (docs/sign-on.md). */
import type { Case } from "../Case.ts"

const off = (method: "GET" | "POST", path: string): Case => ({
  name: "that there is no provider, without a token",
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
    name: "that nobody is signed on in the page, without its cookie",
    request: { method, path: "/auth/session", user: null },
    reply: {
      status: 401,
      body: { status: "error", message: "JWT token missing?" },
      headers: { "set-cookie": null }
    }
  }))
]
