/** Requests to the provider: nothing is followed to another place, and no answer is larger than what a provider has to say. */
import { askedFirst } from "../../runtime/NameLookup.ts"
import { ownFault } from "../../runtime/SystemErrors.ts"
import {
  AuthorizationResponseError,
  ClientError,
  type CustomFetch,
  ResponseBodyError,
  WWWAuthenticateChallengeError
} from "openid-client"

const MAX_BYTES = 1_048_576

/** Seconds for one request and its answer. */
export const TIMEOUT = 5

/** An answer is larger than a provider has to say. */
class TooLarge extends Error {}

const bodyOf = async (response: Response): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (response.body === null) return null
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new TooLarge("the answer is too large")
    chunks.push(chunk)
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}

/** `fetch` with these bounds. */
export const boundedFetch: CustomFetch = async (url, { body, headers, method, signal }) => {
  const given = body === undefined || body === null ? {} : { body }
  await askedFirst(url)
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    signal: signal ?? AbortSignal.timeout(TIMEOUT * 1000),
    ...given
  })
  const { headers: received, status, statusText } = response
  return new Response(await bodyOf(response), { status, statusText, headers: received })
}

const isBusy = (status: number): boolean => status >= 500 || status === 429

/** Whether trying again later can help: the provider does not answer, or says that it cannot just now. */
export const isAway = (error: unknown): boolean => {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) return isBusy(error.status)
  if (error instanceof AuthorizationResponseError) return false
  // nobody was asked
  if (ownFault(error, "connection") !== undefined) return true
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return isBusy(error.cause.status)
    return error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT"
  }
  // what `fetch` fails with carries its cause; a wrong argument has a code of its own
  if (error instanceof TypeError) return error.cause !== undefined && !("code" in error)
  return error instanceof DOMException
}

const WORD = /^[\w.-]{1,60}$/

const worded = (...words: ReadonlyArray<unknown>): string =>
  words.find((word): word is string => typeof word === "string" && WORD.test(word)) ?? "unknown"

/** What went wrong in one word that is no secret: an error code. What providers write beside it may repeat what they were sent. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return worded(error.error)
  if (error instanceof ClientError) return worded(error.code)
  return error instanceof Error ? worded(error.name) : "unknown"
}
