import type { DatabaseSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import type { DeliveryMark, Subscribed } from '../../../webhooks/deliver/delivery-loss.ts'
import { runAtomically } from '../run-atomically.ts'

export class SqliteDeliveryMark implements DeliveryMark {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  isSet(): boolean {
    return this.#database.prepare('SELECT 1 FROM delivery_store').get() !== undefined
  }

  set(): void {
    if (this.isSet()) return
    runAtomically(this.#database, () => this.#database.exec('INSERT OR IGNORE INTO delivery_store VALUES (1)'))
  }

  subscribed(): readonly Subscribed[] {
    const rows = this.#database
      .prepare('SELECT project_id, events, since_position FROM webhooks WHERE enabled = 1')
      .all()
    return rows.map((row) => ({
      projectId: row['project_id'] as ProjectId,
      events: (row['events'] as string).split(','),
      sincePosition: row['since_position'] as number,
    }))
  }
}
