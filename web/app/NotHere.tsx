/** The screen for an unknown address. It is part of the first load, so its heading is plain. */
import { Text, Title } from "@mantine/core"
import { PlainLink } from "../parts/PlainLink.tsx"

export const NotHere = () => (
  <>
    <Title order={1}>Nothing is here</Title>
    <Text>
      This address leads to no screen. The <PlainLink to="/devices">devices</PlainLink> are a place to start from.
    </Text>
  </>
)
