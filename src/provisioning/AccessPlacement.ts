/**
 * The place of an access switch in the network: its neighbours are as they must be and a management domain belongs to its
 * uplinks (contract `engine.md` §5.8, §5.9). The same rule serves device_initcheck and step 1 of the initialisation.
 */
import { Result } from "effect"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { type DomainChoice, findMgmtDomain } from "./MgmtDomainChoice.ts"
import {
  type AccessSurvey,
  checkAccessNeighbours,
  type NeighbourCheckError,
  type VerifiedNeighbours
} from "./NeighbourChecks.ts"
import { InitVerificationError } from "./ProvisioningErrors.ts"

export interface AccessPlacement extends VerifiedNeighbours {
  /** Null when the request switched the checks off with an empty list of neighbours. */
  readonly domain: MgmtDomain | null
}

/** Checks the neighbours and finds the management domain. A missing domain is an InitVerificationError with its own text. */
export const placeAccessSwitch = (
  survey: AccessSurvey,
  choice: DomainChoice
): Result.Result<AccessPlacement, NeighbourCheckError> =>
  Result.gen(function* () {
    const verified = yield* checkAccessNeighbours(survey)
    if (verified.uplinks.length === 0) return { ...verified, domain: null }
    const found = findMgmtDomain(verified.uplinks, choice)
    const domain = yield* Result.mapError(found, ({ message }) => new InitVerificationError({ message }))
    return { ...verified, domain }
  })
