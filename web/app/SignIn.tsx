/** The ways in: the site's provider first, a name and a password, or a token; and how the first person gets in. */
import { Button, Divider, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core"
import { IconShieldCheck } from "@tabler/icons-react"
import { type FormEvent, type ReactNode, useEffect, useState } from "react"
import type { Data } from "../../src/api/Calls.ts"
import { counted } from "../../src/domain/words/Units.ts"
import { CallFailed } from "../api/call.ts"
import { begin, hoursOfEnded } from "../api/session.ts"
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

const ByPassword = ({ isFirst }: { readonly isFirst: boolean }) => {
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const { busy, error, run } = useAct()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const isIn = await run(() => signIn(`Basic ${basic(name, password)}`, "That user name and password do not match."))
    if (!isIn) setPassword("")
  }
  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Sign in with a password">
      <Stack gap="sm">
        <TextInput
          size="lg"
          label="User name"
          autoComplete="username"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          size="lg"
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error !== null && <Problem error={error} title="Not signed in" />}
        <Button type="submit" size="lg" variant={isFirst ? "filled" : "default"} loading={busy}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

const ByToken = ({ isFirst }: { readonly isFirst: boolean }) => {
  const [text, setText] = useState("")
  const { busy, error, run } = useAct()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => signIn(`Bearer ${text.trim()}`, "The server does not know this token, or it has ended."))
  }
  return (
    <form onSubmit={submit} aria-label="Sign in with a token">
      <Stack gap="sm">
        <PasswordInput
          size="lg"
          label="API token"
          autoComplete="off"
          required
          withAsterisk={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {error !== null && <Problem error={error} title="Not signed in" />}
        <Button type="submit" size="lg" variant={isFirst ? "filled" : "default"} loading={busy}>
          Sign in with the token
        </Button>
      </Stack>
    </form>
  )
}

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

const Forms = ({ ways }: { readonly ways: Ways | undefined }) => {
  const [isToken, setToken] = useState(false)
  // a server that cannot say its ways still takes a token
  const hasPassword = ways?.password === true && !ways.is_new
  const provider = ways?.provider ?? null
  const others = [hasPassword, provider !== null].filter(Boolean).length
  if (isToken || others === 0)
    return (
      <>
        <ByToken isFirst />
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
      {ways?.is_new === true && <FirstPerson />}
      {(ways !== undefined || errorUpdateCount > 0) && <Forms ways={ways} />}
    </Place>
  )
}
