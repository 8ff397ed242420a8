/** A person with a browser: signs on at the provider of a test, with its real pages. */
import { Effect } from "effect"
import { ApiClient, type Answer } from "./ApiServer.ts"
import { CLIENT, IdentityProvider, REDIRECT } from "./IdentityProvider.ts"

/** `name=value` of the cookies that an answer sets; those that it removes are not among them. */
export const cookiesOf = ({ headers }: Pick<Answer, "headers">): ReadonlyArray<string> =>
  (headers.get("set-cookie") ?? "")
    .split(/,(?=[\w-]+=)/)
    .filter((cookie) => !/max-age=0/i.test(cookie))
    .flatMap((cookie) => cookie.split(";", 1))
    .filter((cookie) => cookie !== "")

const FORM = /<form[^>]* action="([^"]+)"[\s\S]*?name="prompt" value="(\w+)"/

const formIn = (html: string) => {
  const [, action, prompt] = FORM.exec(html) ?? []
  if (action === undefined || prompt === undefined) throw new Error(`no form in ${html.slice(0, 2000)}`)
  return { action, prompt }
}

/** Goes through the provider's pages from its login address on. Yields the address that it sends the browser back to. */
export const passPages = Effect.fnUntraced(function* (start: string, login: string) {
  return yield* Effect.promise(async () => {
    const jar = new Map<string, string>()
    const go = async (url: string, body?: URLSearchParams): Promise<Response> => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie },
        ...(body === undefined ? {} : { method: "POST", body })
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === "") jar.delete(name)
        else jar.set(name, value)
      }
      return response
    }
    let url = start
    let response = await go(url)
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get("location")
      if (location !== null) {
        url = new URL(location, url).href
        if (url.startsWith(REDIRECT)) return url
        response = await go(url)
      } else {
        const { action, prompt } = formIn(await response.text())
        url = new URL(action, url).href
        response = await go(url, new URLSearchParams({ prompt, login, password: "of no interest" }))
      }
    }
    throw new Error("the provider sends the browser round in circles")
  })
})

/** Begins a login here, in the page or elsewhere: where the browser is sent, and what it keeps. */
export const beginIn = Effect.fnUntraced(function* (query: "" | "?page=ui", headers = {}) {
  const api = yield* ApiClient
  const answer = yield* api.send("GET", `/api/v1.0/auth/login${query}`, { headers })
  return { answer, location: answer.headers.get("location") ?? "", cookie: cookiesOf(answer).join("; ") }
})

export const begin = beginIn("")

/** Comes back here with the query of an address. */
export const comeBack = Effect.fnUntraced(function* (address: string, cookie: string, more = {}) {
  const api = yield* ApiClient
  return yield* api.send("GET", `/api/v1.0/auth/auth${new URL(address).search}`, { headers: { cookie, ...more } })
})

/** Signs on in the page. Returns the cookie of its session, and the next address of the browser. */
export const signOnInPage = Effect.fnUntraced(function* (login: string) {
  const { cookie, location } = yield* beginIn("?page=ui")
  const answer = yield* comeBack(yield* passPages(location, login), cookie)
  return { answer, page: cookiesOf(answer).join("; "), location: answer.headers.get("location") ?? "" }
})

/** Signs on. Yields the token, the page's address and the cookies. */
export const signOn = Effect.fnUntraced(function* (login: string) {
  const { cookie, location } = yield* begin
  const answer = yield* comeBack(yield* passPages(location, login), cookie)
  const page = new URL(answer.headers.get("location") ?? "about:blank")
  const cookies = cookiesOf(answer)
  const named = (name: string) => cookies.find((one) => one.startsWith(`${name}=`)) ?? ""
  return {
    answer,
    page,
    token: page.searchParams.get("token") ?? "",
    refresh: named("REFRESH_TOKEN"),
    logout: named("LOGOUT_TOKEN")
  }
})

/** The provider's own answer to a program that asks for a token. */
export const tokenOf = Effect.fnUntraced(function* ({ id, secret }: typeof CLIENT) {
  const { issuer } = yield* IdentityProvider
  return yield* Effect.promise(async () => {
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials" })
    })
    const text = await response.text()
    return /"access_token":"([^"]+)"/.exec(text)?.[1] ?? text
  })
})
