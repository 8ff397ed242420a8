/**
 * Access switches with Junos that are managed already, for the table of their faults: an old configuration of their own, the example
 * templates, and a lab whose minutes are short, because only its timer takes a change back.
 */
import { timeouts } from "../../../src/drivers/junos/Dialect.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { SLOWNESS } from "../../support/Patience.ts"
import type { FaultSite } from "./FaultScene.ts"
import { addressOf } from "./ManagedCampus.ts"

const MODEL = "EX3400-48P"
const USER = "switchyard"

/** Enough to be reachable, and nothing of the templates. */
const oldConfig = (hostname: string, address: string): string => `system {
    host-name ${hostname};
    time-zone Europe/Stockholm;
    root-authentication {
        encrypted-password "${Campus.HASH}";
    }
    login {
        user ${USER} {
            class super-user;
            authentication {
                encrypted-password "${Campus.HASH}";
            }
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    irb {
        unit 3016 {
            family inet {
                address ${address}/24;
            }
        }
    }
}
vlans {
    OLD-MANAGEMENT {
        vlan-id 3016;
        l3-interface irb.3016;
    }
}
`

/** Logins of ours that work on the configuration, and our timer. */
const debrisOn = (device: LabSwitch): ReadonlyArray<string> => {
  const timer = device.timer()
  return [
    ...device
      .sessions()
      .filter(({ user }) => user === USER)
      .map(({ name, state }) => `login ${name} (${state})`),
    ...(timer?.session.startsWith("job") === true ? [`timer of ${timer.session}`] : [])
  ]
}

/** The lines that every access switch gets are those of the platform. */
const ACCESS = `---
dot1x_multi_host: false
poe_reboot_maintain: true
cli_append_str: |
  system {
      max-configurations-on-flash 10;
  }
`

/** One in the form of the device, which keeps it: another spelling would make each switch run another text. */
const RADIUS = "$9$d9boJk.5QF/k.QF36u0lKM8xdZUjqPTVwHm5T3n"

/** The minutes of the commit timer, and how long the lab makes one of them. */
export interface JunosTimer {
  readonly minutes: number
  readonly minuteMs: number
}

/** No timer ends before its switch was looked at, and those that must end do so soon. */
export const shortTimer: JunosTimer = { minutes: Math.ceil(2 * SLOWNESS), minuteMs: 20_000 }

/** The least that there is: the server waits for all of it, and the lab's ends long before. */
export const lostTimer: JunosTimer = { minutes: 2, minuteMs: 10_000 }

/** A campus of such switches. */
export const junosSite = ({ minuteMs, minutes }: JunosTimer): FaultSite => ({
  timeouts,
  rows: {
    platform: "junos",
    model: MODEL,
    ports: ["ge-0/0/0", "ge-0/0/1", "ge-0/0/2", "ge-0/0/3"],
    uplinks: ["xe-0/2/0", "xe-0/2/1"]
  },
  node: (name, index) => ({
    kind: "junos",
    model: MODEL,
    version: "21.4R3-S5.4",
    ports: 8,
    minuteMs,
    "startup-config": oldConfig(name, addressOf(index))
  }),
  settings: { "access/base_system.yml": ACCESS },
  environment: {
    COMMIT_CONFIRMED_TIMEOUT: String(minutes * 60),
    TEMPLATE_SECRET_JUNOS_RADIUS: RADIUS,
    TEMPLATE_SECRET_JUNOS_ROOT_HASH: Campus.HASH
  },
  debrisOn
})
