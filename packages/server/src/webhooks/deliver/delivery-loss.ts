import type { ProjectId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'

/** An enabled webhook, as far as it says which events it is to get. */
export interface Subscribed {
  readonly projectId: ProjectId
  readonly events: readonly string[]
  readonly sincePosition: number
}

/** What is kept apart from the store of deliveries, beside the journal, so that the loss of that store is noticed. */
export interface DeliveryMark {
  /** Whether there was a store of deliveries once. */
  isSet(): Promise<boolean>
  /** Durable when it resolves. MUST NOT be called before the store and its position are durable. */
  set(): Promise<void>
  /** Reads no secrets: works before those can be opened. */
  subscribed(): Promise<readonly Subscribed[]>
}

export interface DeliveryLossSources {
  readonly journal: Pick<Journal, 'headPosition' | 'prunedThrough' | 'readAll'>
  readonly intake: Pick<DeliveryIntake, 'position' | 'setPosition'>
  readonly mark: DeliveryMark
}

export interface DeliveryLoss {
  /** One sentence: what is missing, and how much may never have been delivered. Ends with a full stop. */
  readonly detail: string
}

const EVENTS_PER_READ = 5000

/**
 * What the start must not pass over, null when all is well. Changes nothing, and finds the same until `acceptDeliveryLoss` or a restored file ends it. To be called once both stores are open and before anything is
 * committed. Cheap, except in a loss: then it reads the journal once. Throws DomainError when the control store cannot be read.
 *
 * - The store of deliveries was there and has no position now: the file was removed or emptied. A power loss does not do that, the first position is durable before the mark.
 * - The journal ends before the position: the control store is an older copy. What it writes next would be taken for dispatched.
 */
export async function findDeliveryLoss(sources: DeliveryLossSources): Promise<DeliveryLoss | null> {
  const { journal, intake, mark } = sources
  const [position, head] = await Promise.all([intake.position(), journal.headPosition()])
  if (position === null) return (await mark.isSet()) ? { detail: await detailOfMissing(sources, head) } : null
  if (position <= head) return null
  return {
    detail:
      `control.db is older than deliveries.db: its journal ends at position ${head}, but deliveries were made through position ${position}, ` +
      `so ${position - head} positions of the journal are missing, and as many events committed next would never be delivered.`,
  }
}

/**
 * Gives a store its first position and sets the mark. A new service begins at 0, before anything is committed; a data directory that is older than webhooks, at the journal's head. In this order, so that
 * a crash between them is no loss to the next start. `findDeliveryLoss` MUST have returned null.
 */
export async function beginDeliveries({ journal, intake, mark }: DeliveryLossSources): Promise<void> {
  if ((await intake.position()) === null) await intake.setPosition(await journal.headPosition())
  await mark.set()
}

/** The operator goes on without what is missing: deliveries are made of what is committed from now on, and those still stored are sent. Durable when it resolves. */
export async function acceptDeliveryLoss({ journal, intake, mark }: DeliveryLossSources): Promise<void> {
  await intake.setPosition(await journal.headPosition())
  await mark.set()
}

async function detailOfMissing({ journal, mark }: DeliveryLossSources, head: number): Promise<string> {
  const first = (await journal.prunedThrough()) + 1
  const events = await countWanted(journal, await mark.subscribed())
  const where = head < first ? 'of the journal, which is empty,' : `at positions ${first} to ${head} of the journal`
  return (
    'deliveries.db is missing or was emptied: its pending deliveries are gone with the log of deliveries, ' +
    `and up to ${events} events ${where} that enabled webhooks want may never have been delivered.`
  )
}

async function countWanted(
  journal: DeliveryLossSources['journal'],
  subscribed: readonly Subscribed[],
): Promise<number> {
  let count = 0
  if (subscribed.length === 0) return count
  for (let after = await journal.prunedThrough(); ;) {
    const rows = await journal.readAll(after, EVENTS_PER_READ)
    for (const { projectId, lastPosition, events } of rows) {
      const ofProject = subscribed.filter((one) => one.projectId === projectId)
      for (const [index, { type }] of events.entries()) {
        const position = lastPosition - events.length + 1 + index
        if (position <= after) continue
        if (ofProject.some((one) => position > one.sincePosition && one.events.includes(type))) count += 1
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return count
    after = last.lastPosition
  }
}
