/** The screen for an unknown address. */
import { Text } from "@mantine/core"
import { PlainLink } from "../parts/PlainLink.tsx"
import { ScreenTitle } from "../parts/ScreenTitle.tsx"

export const NotHere = () => (
  <>
    <ScreenTitle>Nothing is here</ScreenTitle>
    <Text>
      This address leads to no screen. The <PlainLink to="/devices">devices</PlainLink> are a place to start from.
    </Text>
  </>
)
