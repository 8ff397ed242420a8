/** Words about switches that exist already: where each is on its way, where it was named, and how far both ends of a link agree. */
import type { OnboardingState } from "../Onboarding.ts"
import type { onboardingSources } from "../requests/OnboardingRequests.ts"
import type { Words } from "./Word.ts"

export const onboardingWords = {
  waiting: { text: "Waiting", tone: "info" },
  host_key: { text: "Host key to approve", tone: "wait" },
  failed: { text: "Could not be read", tone: "bad" },
  unrendered: { text: "Nothing can be generated", tone: "warn" },
  differs: { text: "Differs", tone: "warn" },
  ready: { text: "Ready to be managed", tone: "wait" },
  managed: { text: "Managed", tone: "good" }
} as const satisfies Words<OnboardingState>

export const sourceWords = {
  csv: { text: "Comma-separated values", tone: "quiet" },
  containerlab: { text: "Topology of containerlab", tone: "quiet" },
  ansible: { text: "Inventory of Ansible", tone: "quiet" },
  configs: { text: "Folder of configurations", tone: "quiet" },
  netbox: { text: "NetBox", tone: "quiet" }
} as const satisfies Words<(typeof onboardingSources)[number]>

export const agreementWords = {
  both: { text: "Both ends report it", tone: "good" },
  one: { text: "One end reports it", tone: "info" },
  contradiction: { text: "Contradiction", tone: "bad" }
} as const satisfies Words<"both" | "one" | "contradiction">
