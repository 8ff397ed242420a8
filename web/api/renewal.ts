/**
 * New tokens for sessions of the site's provider, without anybody noticing: the browser keeps a cookie that no page can read, and the
 * server exchanges it (docs/sign-on.md#the-page). Of tabs that find out together one asks, because a cookie counts once.
 */
import { isRenewable, keepRenewable, token } from "./token.ts"

const ask = async (refused: string): Promise<boolean> => {
  const response = await fetch("/api/v1.0/auth/refresh", {
    method: "POST",
    headers: { authorization: `Bearer ${refused}` }
  }).catch(() => null)
  if (response?.ok !== true) return false
  const body: unknown = await response.json().catch(() => null)
  const data: unknown = typeof body === "object" && body !== null && "data" in body ? body.data : null
  if (typeof data !== "object" || data === null || !("access_token" in data)) return false
  if (typeof data.access_token !== "string") return false
  keepRenewable(data.access_token)
  return true
}

/** Whether another token is there than the one that was refused. */
const isOther = (refused: string): boolean => token() !== null && token() !== refused

const alone = async (refused: string): Promise<boolean> => isOther(refused) || (await ask(refused))

const underWay = new Map<string, Promise<boolean>>()

/** Tries to get another token for one that is refused; yields whether there is one now. */
export const renew = (refused: string | null): Promise<boolean> => {
  if (refused === null) return Promise.resolve(false)
  if (isOther(refused)) return Promise.resolve(true)
  if (!isRenewable()) return Promise.resolve(false)
  const known = underWay.get(refused)
  if (known !== undefined) return known
  // browsers give locks to encrypted pages and to this machine's own; elsewhere the cookie is not sent either
  const asked = (
    "locks" in navigator ? navigator.locks.request("switchyard.renewal", () => alone(refused)) : alone(refused)
  ).finally(() => underWay.delete(refused))
  underWay.set(refused, asked)
  return asked
}
