/** One mail to a server that takes mails (docs/alerts.md#mail). */
import { Effect } from "effect"
import { createTransport } from "nodemailer"
import type { AlertMessage } from "../../domain/events/alerts/AlertMessage.ts"
import { mailOf } from "../../domain/events/alerts/MachineBodies.ts"
import type { Receiver } from "../../domain/events/alerts/Receiver.ts"
import { type Attempt, failed } from "./Attempt.ts"

type MailReceiver = Extract<Receiver, { readonly type: "email" }>

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Sends it; milliseconds are what each step may take. The id of the mail is that of the message, so repeats are known. */
export const sendMail = (
  receiver: MailReceiver,
  password: string | null,
  message: AlertMessage,
  timeout: number
): Effect.Effect<Attempt> =>
  Effect.suspend(() => {
    const { from, host, port, recipients, tls, user } = receiver
    const transport = createTransport({
      host,
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
    return sending.pipe(
      Effect.map(({ rejected, response }): Attempt => ({
        _tag: "Sent",
        answer: rejected.length === 0 ? response : `${response}; not for ${rejected.map(String).join(", ")}`
      })),
      Effect.catch((reason) => Effect.succeed(failed(reason))),
      Effect.ensuring(Effect.sync(() => transport.close()))
    )
  })
