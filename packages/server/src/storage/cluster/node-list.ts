import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { SharedCalls } from '../../lib/flow/shared-calls.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { NodeDirectory, OtherNode } from '../../ports/nodes/nodes.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { run, type Work } from '../sql/kit/sql-database.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import type { PostgresqlTables } from '../sql/postgresql/postgresql-tables.ts'
import { WAKE_NODES } from './cluster-log-statements.ts'
import { partitionOf, PARTITIONS } from './partitions.ts'

export interface NodeListOptions {
  /** Its writes are counted: other nodes notice one that comes or leaves by their next read of the log. */
  readonly database: PostgresqlDatabase<unknown>
  readonly self: OtherNode
  readonly clock: Clock
  readonly timers: Timers
  /** Called when a node is not in the list any more. `hasLeft`: by itself, so it ends what it has begun. */
  readonly onEnd: (node: OtherNode, hasLeft: boolean) => void
  readonly onError: (error: unknown, message: string) => void
}

type NodeRow = PostgresqlTables['nodes']

/** A node that does not renew its row for this long is none any more. Others notice after RENEW_MS more at most. */
const PLACE_MS = 7000
const RENEW_MS = 3000
/** Until others send nothing here any more: they read the log several times in this time. */
const LEAVE_MS = 300
/** A stop does not wait longer for PostgreSQL. */
const MOST_LEAVE_MS = 1000

/**
 * The nodes that run, and which of them commits for which project (decision 0162). Each node renews its row and reads
 * the others' in one statement. The owner of a partition is the node with the greatest hash of both (rendezvous
 * hashing), so a node that comes or goes moves only its own share. Safety does not depend on this list: the heads of
 * partitions refuse commits that were planned too early.
 */
export class NodeList implements NodeDirectory {
  readonly #options: NodeListOptions
  readonly #uncounted: PostgresqlDatabase<unknown>
  readonly #sql: ReturnType<typeof statementsOn>
  readonly #reads = new SharedCalls(() => this.#read())
  #others: readonly NodeRow[] = []
  readonly #unreachable = new Set<string>()
  /** By the number of a partition less one; null: this node. */
  #owners: readonly (OtherNode | null)[] = []
  /** Holders that `#owners` are chosen from. Hashing each with each partition takes time: only after a change. */
  #chosenAmong: readonly string[] = []
  #isMember = false
  #isFailing = false
  #controlVersion = -1
  #cancelRounds: () => void = () => undefined

  constructor(options: NodeListOptions) {
    this.#options = options
    this.#uncounted = options.database.uncounted()
    this.#sql = statementsOn(this.#uncounted.withTables<PostgresqlTables>())
  }

  /** How many nodes run, as far as this one knows. */
  get count(): number {
    return this.#others.length + 1
  }

  ownerOf(projectId: ProjectId): OtherNode | null {
    return this.#owners[partitionOf(projectId) - 1] ?? null
  }

  /** Another array after each change of owners. */
  get owners(): readonly (OtherNode | null)[] {
    return this.#owners
  }

  /** The partitions that this node commits for; none before `join`. */
  get own(): readonly number[] {
    return this.#owners.flatMap((owner, at) => (owner === null ? [at + 1] : []))
  }

  setUnreachable({ holder }: OtherNode): void {
    this.#unreachable.add(holder)
    this.#choose()
  }

  /** Others send requests here from now on. Rejects with DomainError `storage_unavailable`. */
  async join(): Promise<void> {
    const { database, timers } = this.#options
    const { takePlace, put, wakeNodes } = this.#sql
    const row = this.#row()
    await database.write(function* (): Work<void> {
      yield* run(takePlace(row))
      yield* run(put(row))
      yield* run(wakeNodes({}))
    })
    this.#isMember = true
    await this.#reads.next()
    this.#cancelRounds = timers.every(RENEW_MS, () => void this.#reads.next())
  }

  /** Resolves when others send nothing here any more, as far as they can know. Never rejects. */
  async leave(): Promise<void> {
    if (!this.#isMember) return
    this.#isMember = false
    this.#cancelRounds()
    const { timers, onError } = this.#options
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const cancel = timers.after(MOST_LEAVE_MS, resolve)
    const removed = this.#remove().catch((error: unknown) =>
      onError(error, 'other nodes do not know yet that this one stops'),
    )
    await Promise.race([removed, isLate])
    cancel()
  }

  async #remove(): Promise<void> {
    const { database, timers, self } = this.#options
    const { remove, wakeNodes } = this.#sql
    // The last one: a later one would put the row again.
    await this.#reads.next()
    await database.write(function* (): Work<void> {
      yield* run(remove({ holder: self.holder }))
      yield* run(wakeNodes({}))
    })
    await new Promise<void>((wake) => timers.after(LEAVE_MS, wake))
  }

  /** Call it with the version of each head of the log that was read: the list may have changed with it. */
  look(controlVersion: number): void {
    if (controlVersion === this.#controlVersion) return
    this.#controlVersion = controlVersion
    if (this.#isMember) void this.#reads.next()
  }

  /** Renews the own row and reads the others'. */
  async #read(): Promise<void> {
    const { clock, onError } = this.#options
    const now = clock.now()
    try {
      const rows = await this.#uncounted.writeAtOnce(this.#sql.renew({ ...this.#row(), now }))
      this.#isFailing = false
      this.#take(rows, now)
    } catch (error) {
      // Nothing can be committed then, and the list stays as it is.
      if (!this.#isFailing) onError(error, 'the list of nodes could not be read; this node tries again')
      this.#isFailing = true
    }
  }

  #take(rows: readonly NodeRow[], now: number): void {
    const present = new Set(rows.map(({ holder }) => holder))
    const gone = this.#others.filter(({ holder }) => !present.has(holder))
    this.#others = rows
    this.#unreachable.clear()
    this.#choose()
    for (const node of gone) this.#options.onEnd(node, node.until > now)
  }

  #choose(): void {
    const { self } = this.#options
    const nodes: OtherNode[] = this.#others.filter(({ holder }) => !this.#unreachable.has(holder))
    if (this.#isMember || nodes.length === 0) nodes.push(self)
    const among = nodes.map(({ holder }) => holder).toSorted()
    if (String(among) === String(this.#chosenAmong)) return
    this.#chosenAmong = among
    this.#owners = Array.from({ length: PARTITIONS }, (_, at) => {
      const owner = ownerAmong(nodes, at + 1)
      return owner.holder === self.holder ? null : owner
    })
  }

  #row(): NodeRow {
    const { self, clock } = this.#options
    return { ...self, until: clock.now() + PLACE_MS }
  }
}

/** All nodes with the same list MUST choose the same one. `nodes` has at least one. */
export function ownerAmong(nodes: readonly OtherNode[], partition: number): OtherNode {
  const weighted = nodes.map((node) => ({ node, weight: hash('sha256', `${partition} ${node.holder}`) }))
  return weighted.reduce((best, other) => (other.weight > best.weight ? other : best)).node
}

function statementsOn(database: PostgresqlDatabase<PostgresqlTables>) {
  const { query } = sqlTextOn(database)
  return {
    put: query<NodeRow>('INSERT INTO nodes (holder, address, until) VALUES (:holder, :address, :until)'),
    // Of a process that was killed at this address.
    takePlace: query<NodeRow>('DELETE FROM nodes WHERE address = :address AND holder <> :holder'),
    remove: query<Pick<NodeRow, 'holder'>>('DELETE FROM nodes WHERE holder = :holder'),
    wakeNodes: query(`SELECT ${WAKE_NODES}`),
    // One that was stopped for long and goes on is put again. Those that ended without leaving are removed.
    renew: query<NodeRow & { readonly now: number }, NodeRow>(`WITH renewed AS (
        INSERT INTO nodes (holder, address, until) VALUES (:holder, :address, :until)
        ON CONFLICT (holder) DO UPDATE SET until = excluded.until
      ), removed AS (
        DELETE FROM nodes WHERE until <= :now AND holder <> :holder
      )
      SELECT holder, address, until FROM nodes WHERE until > :now AND holder <> :holder`),
  }
}
