/** One mail to a server that takes mails (docs/alerts.md#mail). */
import { Effect, Result } from "effect"
import { isIP } from "node:net"
import { createTransport } from "nodemailer"
import { type AlertMessage, mailOf } from "../../domain/events/alerts/AlertMessage.ts"
import type { Receiver } from "../../domain/events/alerts/Receiver.ts"
import type { OutboundGuard } from "../../runtime/OutboundHosts.ts"
import { messageOf, ownFault } from "../../runtime/SystemErrors.ts"
import { type Attempt, failed } from "./Attempt.ts"

type MailReceiver = Extract<Receiver, { readonly type: "email" }>

/** What the machine of this server lacks is not said of the receiver. */
const reasonOf = (error: unknown): string => ownFault(error, "connection")?.message ?? messageOf(error)

/** The address of a host that the guard lets, or why there is none. */
const dialled = (host: string, { lookup, refusalOf }: OutboundGuard): Effect.Effect<string, string> => {
  const refusal = refusalOf(host)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (isIP(host) !== 0) return Effect.succeed(host)
  return Effect.callback<string, string>((resume) =>
    lookup(host, {}, (error, address) => {
      if (error !== null) return resume(Effect.fail(reasonOf(error)))
      return resume(Effect.succeed(typeof address === "string" ? address : (address[0]?.address ?? host)))
    })
  )
}

/** Sends it; milliseconds are what each step may take. The id of the mail is that of the message, so repeats are known. */
export const sendMail = (
  receiver: MailReceiver,
  password: string | null,
  message: AlertMessage,
  timeout: number,
  guard: OutboundGuard
): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    const { from, host, port, recipients, tls, user } = receiver
    const found = yield* Effect.result(dialled(receiver.host, guard))
    if (Result.isFailure(found)) return failed(found.failure)
    const transport = createTransport({
      // the address that was checked is the one that is dialled; the certificate is that of the name
      host: found.success,
      ...(isIP(host) === 0 ? { tls: { servername: host } } : {}),
      port,
      secure: tls === "tls",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "none",
      ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true
    })
    const sending = Effect.tryPromise({
      try: () =>
        transport.sendMail({
          from,
          to: [...recipients],
          messageId: `<${message.id}@switchyard>`,
          ...mailOf(message),
          headers: { "Auto-Submitted": "auto-generated", "X-Switchyard-Alert": `${message.alert}` }
        }),
      catch: reasonOf
    })
    return yield* sending.pipe(
      Effect.map(({ rejected, response }): Attempt => ({
        _tag: "Sent",
        answer: rejected.length === 0 ? response : `${response}; not for ${rejected.map(String).join(", ")}`
      })),
      Effect.catch((reason) => Effect.succeed(failed(reason))),
      Effect.ensuring(Effect.sync(() => transport.close()))
    )
  })
