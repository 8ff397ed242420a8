/** The ways in: the site's provider first, a name and a password, or a token; and how the first person gets in. */
import { Button, Divider, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core"
import { IconShieldCheck } from "@tabler/icons-react"
import { type FormEvent, type ReactNode, useEffect, useState } from "react"
import type { Data } from "../../src/api/Calls.ts"
import { counted } from "../../src/domain/words/Units.ts"
import { CallFailed } from "../api/call.ts"
import { begin, endedSession, hoursOfEnded } from "../api/session.ts"
import { useAsk } from "../api/useAsk.ts"
import { Problem } from "../parts/Problem.tsx"
import { useAct } from "../parts/useAct.ts"
import { Mark } from "./Mark.tsx"
import "./sign-in.css"
import { SchemeButton } from "./SchemeButton.tsx"
import { leaveForProvider } from "./signedOn.ts"

type Ways = Data<"GET /auth/ways">

const basic = (name: string, password: string): string => {
  const bytes = new TextEncoder().encode(`${name}:${password}`)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

const signIn = async (authorization: string, mismatch: string) => {
  const refused = await begin(authorization)
  if (refused === null) return
  const { body, status } = refused
  if (status === 0) throw new CallFailed(0, ["The server does not answer. Try again in a moment."], body)
  const message = typeof body === "object" && body !== null && "message" in body ? String(body.message) : "No answer."
  throw new CallFailed(status, [status === 401 ? mismatch : message], body)
}

interface SignInField {
  readonly label: string
  readonly autoComplete: string
  readonly isSecret: boolean
}

interface SignInFormProps {
  /** The name of the form, for screen readers. */
  readonly label: string
  readonly fields: ReadonlyArray<SignInField>
  readonly verb: string
  /** Whether it is the first way in, which has the filled button. */
  readonly isFirst: boolean
  /** The header for the values of the fields, in their order. */
  readonly headerOf: (values: ReadonlyArray<string>) => string
  /** The sentence after a refusal. */
  readonly mismatch: string
}

/** The form of a way in. After a refusal it keeps the name, and empties a password next to it. */
const SignInForm = ({ fields, headerOf, isFirst, label, mismatch, verb }: SignInFormProps) => {
  const [values, setValues] = useState<ReadonlyArray<string>>(fields.map(() => ""))
  const { busy, error, run } = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const isIn = await run(() => signIn(headerOf(values), mismatch))
    if (!isIn && fields.length > 1) setValues(values.map((value, place) => (fields[place]?.isSecret ? "" : value)))
  }
  return (
    <form onSubmit={(event) => void submit(event)} aria-label={label}>
      <Stack gap="sm">
        {fields.map(({ autoComplete, isSecret, label }, place) => {
          const Field = isSecret ? PasswordInput : TextInput
          return (
            <Field
              key={label}
              size="lg"
              label={label}
              autoComplete={autoComplete}
              required
              withAsterisk={false}
              value={values[place] ?? ""}
              onChange={(event) => setValues(values.with(place, event.currentTarget.value))}
            />
          )
        })}
        {error !== null && <Problem error={error} title="Not signed in" />}
        <Button type="submit" size="lg" variant={isFirst ? "filled" : "default"} loading={busy}>
          {verb}
        </Button>
      </Stack>
    </form>
  )
}

const ByPassword = ({ isFirst }: { readonly isFirst: boolean }) => (
  <SignInForm
    label="Sign in with a password"
    verb="Sign in"
    fields={[
      { label: "User name", autoComplete: "username", isSecret: false },
      { label: "Password", autoComplete: "current-password", isSecret: true }
    ]}
    headerOf={([name = "", password = ""]) => `Basic ${basic(name, password)}`}
    mismatch="That user name and password do not match."
    isFirst={isFirst}
  />
)

const ByToken = () => (
  <SignInForm
    label="Sign in with a token"
    verb="Sign in with the token"
    fields={[{ label: "API token", autoComplete: "off", isSecret: true }]}
    headerOf={([token = ""]) => `Bearer ${token.trim()}`}
    mismatch="The server does not know this token, or it has ended."
    isFirst
  />
)

/** Asks the server first, because a provider that is away leaves the browser on a page without a way back. */
const AtProvider = ({ provider }: { readonly provider: NonNullable<Ways["provider"]> }) => {
  const { busy, error, run } = useAct()
  const leave = async () => {
    const answer = await fetch(provider.path, { redirect: "manual" }).catch(() => null)
    if (answer?.type !== "opaqueredirect")
      throw new CallFailed(
        answer?.status ?? 0,
        [`${provider.name} does not answer. Try again, or sign in another way below.`],
        null
      )
    leaveForProvider()
    location.assign(provider.path)
  }
  return (
    <>
      <Button
        size="lg"
        loading={busy}
        leftSection={<IconShieldCheck size={18} stroke={1.75} aria-hidden />}
        onClick={() => void run(leave)}
      >
        Continue with {provider.name}
      </Button>
      {error !== null && <Problem error={error} title="Not signed in" />}
    </>
  )
}

/** What a new server says instead of a form that nobody could use. */
const FirstPerson = () => (
  <section aria-label="The first person" className="first-person">
    <Title order={2}>This server is new</Title>
    <Text>Nobody can sign in yet. The first administrator is made on the machine of the server:</Text>
    <ul>
      <li>
        in a terminal, with <code>switchyard setup</code>;
      </li>
      <li>
        or in a browser there, at <code>/setup</code>, with the code that the server shows when it starts.
      </li>
    </ul>
  </section>
)

const TRACKS = [40, 124, 208, 292, 376, 460, 544]
const TRAINS: ReadonlyArray<readonly [x: number, y: number, tone: "good" | "info" | "warn"]> = [
  [120, 124, "good"],
  [560, 208, "good"],
  [250, 292, "good"],
  [430, 376, "info"],
  [640, 460, "good"],
  [330, 544, "warn"],
  [90, 544, "good"]
]

/** Tracks and trains: decoration. */
const Yard = () => (
  <svg className="yard" viewBox="0 0 720 600" preserveAspectRatio="xMinYMin slice" aria-hidden>
    {TRACKS.map((y) => (
      <path key={y} className="yard-track" d={`M0 ${y}H720`} />
    ))}
    {TRACKS.slice(0, -1).map((y, index) => (
      <path key={y} className="yard-switch" d={`M${320 + index * 22} ${y}c110 0 100 84 200 84`} />
    ))}
    {TRAINS.map(([x, y, tone]) => (
      <g key={`${x} ${y}`} data-tone={tone}>
        <circle className="yard-halo" cx={x} cy={y} r="10" />
        <circle className="yard-train" cx={x} cy={y} r="6" />
      </g>
    ))}
  </svg>
)

const endedText = (hours: number | null): string | null => {
  if (hours === null) return null
  return hours < 1
    ? "Your session has ended. Sign in again to go on where you were."
    : `You were signed out after ${counted(hours, "hour")}. Sign in again to go on where you were.`
}

/** What became of the session that the user has ended just now. */
const SignedOut = () => {
  const ended = endedSession()
  if (ended === null) return null
  return (
    <Text role="status" className="sign-in-ended">
      {ended.isConfirmed
        ? "You have signed out. This session has ended."
        : "You have signed out here. The server did not answer, so the session counts there until it ends by itself."}
      {ended.providerPage !== null && (
        <>
          {" "}
          <a href={ended.providerPage}>Sign out at the provider too</a>
        </>
      )}
    </Text>
  )
}

const Forms = ({ ways }: { readonly ways: Ways | undefined }) => {
  const [isToken, setToken] = useState(false)
  // a server that cannot say its ways still takes a token
  const hasPassword = ways?.password === true && !ways.is_new
  const provider = ways?.provider ?? null
  const others = [hasPassword, provider !== null].filter(Boolean).length
  if (isToken || others === 0)
    return (
      <>
        <ByToken />
        {others > 0 && (
          <button type="button" className="as-link" onClick={() => setToken(false)}>
            Sign in another way
          </button>
        )}
      </>
    )
  return (
    <>
      {provider !== null && <AtProvider provider={provider} />}
      {provider !== null && hasPassword && <Divider label="or with a password" />}
      {hasPassword && <ByPassword isFirst={provider === null} />}
      <div className="sign-in-more">
        {ways?.token === true && (
          <button type="button" className="as-link" onClick={() => setToken(true)}>
            Use an API token
          </button>
        )}
        {hasPassword && <span>Forgotten? Ask your administrator.</span>}
      </div>
    </>
  )
}

interface PlaceProps {
  readonly site: string
  readonly isOver: boolean
  readonly children: ReactNode
}

const Place = ({ children, isOver, site }: PlaceProps) => (
  <main className={isOver ? "sign-in over" : "sign-in"}>
    <div className="sign-in-side">
      <div className="sign-in-brand">
        <Mark size={32} />
        <b>Switchyard</b>
      </div>
      <Yard />
      <p className="sign-in-claim">Every switch, and what it is about to become.</p>
      <p className="sign-in-site">{site}</p>
    </div>
    <div className="sign-in-form">
      <div className="sign-in-column">{children}</div>
      <div className="sign-in-foot">
        <SchemeButton />
      </div>
    </div>
  </main>
)

/** `isOver` a screen that is kept below. */
export default function SignIn({ isOver }: { readonly isOver: boolean }) {
  const { data, errorUpdateCount } = useAsk("GET /auth/ways")
  const ways = data?.answer.data
  const site = ways?.site ?? location.host
  const ended = endedText(hoursOfEnded())
  useEffect(() => {
    document.title = "Sign in · Switchyard"
  }, [])
  return (
    <Place site={site} isOver={isOver}>
      <div>
        <Title order={1}>Sign in</Title>
        <Text c="dimmed">to {site}</Text>
      </div>
      {ended !== null && (
        <Text role="status" className="sign-in-ended">
          {ended}
        </Text>
      )}
      <SignedOut />
      {ways?.is_new === true && <FirstPerson />}
      {(ways !== undefined || errorUpdateCount > 0) && <Forms ways={ways} />}
    </Place>
  )
}
