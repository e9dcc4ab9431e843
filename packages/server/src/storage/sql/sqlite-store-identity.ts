import type { DatabaseSync } from 'node:sqlite'

/** The control store's records about the other files of its data directory. */
export interface StoreIdentity {
  /** Created with the control store, and also written into the record of the engine's parts. */
  readonly storeId: string
  /** Whether that record has been written. */
  readonly partsRecorded: boolean
  /** Durable when it returns. */
  markPartsRecorded(): void
  /**
   * Moves everything written so far from the write-ahead log into the database, durably. A reader in another process
   * may delay the newest part of it.
   */
  checkpoint(): void
}

export function openStoreIdentity(database: DatabaseSync): StoreIdentity {
  const read = database.prepare('SELECT store_id, parts_recorded FROM store_identity')
  return {
    get storeId() {
      return read.get()?.['store_id'] as string
    },
    get partsRecorded() {
      return read.get()?.['parts_recorded'] === 1
    },
    markPartsRecorded: () => database.exec('UPDATE store_identity SET parts_recorded = 1'),
    checkpoint: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
  }
}
