import type { Journal } from '../../ports/journal/journal.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import type { DeliveryMark, Subscribed } from '../../ports/webhooks/delivery-mark.ts'

export interface DeliveryLossSources {
  readonly journal: Pick<Journal, 'headPosition' | 'prunedThrough' | 'readAll'>
  readonly intake: Pick<DeliveryIntake, 'position' | 'setPosition'>
  readonly mark: DeliveryMark
}

export interface DeliveryLoss {
  /** One sentence: the missing file, and how many events may never have been delivered. Ends with a full stop. */
  readonly detail: string
}

const EVENTS_PER_READ = 5000

/**
 * Detects a loss that MUST end the start; null if there is none. Changes nothing; finds the same until the loss is
 * accepted (`acceptDeliveryLoss`) or the file restored. Call it when both stores are open, before any commit. Reads the
 * journal only if there is a loss.
 *
 * - The delivery store existed and has no position: its file was removed or emptied. A power loss cannot cause that, as
 *   the first position is durable before the mark.
 * - The journal ends before the position: the control store is an older copy, and new events would count as dispatched.
 *
 * @throws DomainError if the control store cannot be read
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
 * Sets the first position of a store, then the mark: in this order, a crash in between does not look like a loss. A new
 * service begins at 0, a data directory older than webhooks at the journal's head. `findDeliveryLoss` MUST have
 * returned null.
 */
export async function beginDeliveries({ journal, intake, mark }: DeliveryLossSources): Promise<void> {
  if ((await intake.position()) === null) await intake.setPosition(await journal.headPosition())
  await mark.set()
}

/**
 * Continues without the missing data: new commits become deliveries, and stored deliveries are sent. Durable when it
 * resolves.
 */
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
