/** The ways in: the site's provider, a name and a password, or a token. */
import { Button, Card, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { CallFailed } from "../api/call.ts"
import { begin } from "../api/session.ts"
import { useAsk } from "../api/useAsk.ts"
import { Problem } from "../parts/Problem.tsx"
import { useAct } from "../parts/useAct.ts"
import { leaveForProvider } from "./signedOn.ts"

const basic = (name: string, password: string): string => {
  const bytes = new TextEncoder().encode(`${name}:${password}`)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

const signOn = async (authorization: string) => {
  const refused = await begin(authorization)
  if (refused === null) return
  const { body, status } = refused
  const message = typeof body === "object" && body !== null && "message" in body ? String(body.message) : "No answer."
  throw new CallFailed(status, [message], body)
}

const ByPassword = () => {
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const { busy, error, run } = useAct()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => signOn(`Basic ${basic(name, password)}`))
  }
  return (
    <form onSubmit={submit} aria-label="Sign on with a password">
      <Stack gap="xs">
        <TextInput
          label="Name"
          autoComplete="username"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error !== null && <Problem error={error} title="Not signed on" />}
        <Button type="submit" loading={busy}>
          Sign on
        </Button>
      </Stack>
    </form>
  )
}

const ByToken = () => {
  const [text, setText] = useState("")
  const { busy, error, run } = useAct()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => signOn(`Bearer ${text.trim()}`))
  }
  return (
    <form onSubmit={submit} aria-label="Sign on with a token">
      <Stack gap="xs">
        <PasswordInput
          label="Token"
          autoComplete="off"
          required
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {error !== null && <Problem error={error} title="Not signed on" />}
        <Button type="submit" variant="default" loading={busy}>
          Sign on with the token
        </Button>
      </Stack>
    </form>
  )
}

export const SignOn = () => {
  const { data, errorUpdateCount } = useAsk("GET /auth/ways")
  const ways = data?.answer.data
  return (
    <main>
      <Stack maw={400} mx="auto" mt="xl" p="sm">
        <Title order={1}>Switchyard</Title>
        <Text>Sign on to see your network.</Text>
        {ways?.password === true && (
          <Card withBorder>
            <ByPassword />
          </Card>
        )}
        {ways !== undefined && ways.provider !== null && (
          <Button component="a" href={ways.provider.path} variant="default" onClick={leaveForProvider}>
            Sign on at {ways.provider.name}
          </Button>
        )}
        {(ways === undefined ? errorUpdateCount > 0 : ways.token) && (
          <Card withBorder>
            <ByToken />
          </Card>
        )}
      </Stack>
    </main>
  )
}
