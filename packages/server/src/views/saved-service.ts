import type { IdPrefix, ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { listPage, type Page, type PageRequest } from '../lib/list-page.ts'
import type { Clock } from '../lib/time/clock.ts'
import { checkName } from '../lib/validation/check-name.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { Principal } from '../ports/access/scopes.ts'
import type { Saved } from '../ports/views/view.ts'
import type { ViewStore } from '../ports/views/view-store.ts'

export interface SavedDependencies<S extends Saved> {
  readonly store: ViewStore<S>
  readonly clock: Clock
  readonly newId: () => S['id']
  /** Of one project. */
  readonly most: number
  readonly noun: 'view' | 'dashboard'
  readonly prefix: IdPrefix & ('view' | 'dash')
}

/** A new name and members of the content, each replaced as a whole. */
export interface SavedChange<S extends Saved> {
  readonly name?: string
  readonly content: Partial<S['content']>
}

/** What is saved under names: changed by its author or a key with `manage`. */
export class SavedService<S extends Saved> {
  readonly #given: SavedDependencies<S>

  constructor(given: SavedDependencies<S>) {
    this.#given = given
  }

  /** Throws DomainError `validation_failed` and `view_conflict`. */
  async create({ projectId, keyId: createdBy }: Principal, name: string, content: S['content']): Promise<S> {
    requireName(name)
    const { clock, newId } = this.#given
    const now = clock.now()
    const saved = { projectId, id: newId(), name, content, createdBy, createdAt: now, updatedAt: now }
    await this.add(saved as Saved as S)
    return saved as Saved as S
  }

  /** The same of a whole record. */
  async add(saved: S): Promise<void> {
    const { store, most, noun } = this.#given
    const outcome = await store.add(saved, most)
    if (outcome === 'name_taken') throw this.#nameTaken()
    if (outcome === 'full')
      throw invalid({ pointer: '', code: 'too_many', detail: `A project has at most ${most} saved ${noun}s.` })
  }

  /** Throws DomainError `invalid_cursor`. */
  list(projectId: ProjectId, { cursor, limit }: PageRequest): Promise<Page<S>> {
    const { store, prefix } = this.#given
    return listPage(prefix, cursor, limit, (after, most) => store.list(projectId, after as S['id'] | null, most))
  }

  /** Throws DomainError `not_found`, `validation_failed`, `insufficient_scope` and `view_conflict`. */
  async change(principal: Principal, id: S['id'], { name, content }: SavedChange<S>): Promise<S> {
    if (name !== undefined) requireName(name)
    const { store, clock } = this.#given
    const changed = await store.change(principal.projectId, id, (saved) => {
      this.#requireAuthor(principal, saved)
      const next = { ...saved.content, ...content }
      return { ...saved, name: name ?? saved.name, content: next, updatedAt: clock.now() }
    })
    if (changed === 'missing') throw this.#notFound()
    if (changed === 'name_taken') throw this.#nameTaken()
    return changed
  }

  /** Throws DomainError `not_found` and `insufficient_scope`. */
  async remove(principal: Principal, id: S['id']): Promise<void> {
    const check = (saved: S) => this.#requireAuthor(principal, saved)
    if (!(await this.#given.store.remove(principal.projectId, id, check))) throw this.#notFound()
  }

  /** A session is the author of what its key saved, also through other sessions. */
  #requireAuthor({ keyId, scopes }: Principal, { createdBy }: Saved): void {
    if (keyId === createdBy || scopes.has('manage')) return
    const detail = `Only the key that saved the ${this.#given.noun} and keys with the scope manage change it.`
    throw new DomainError('insufficient_scope', detail)
  }

  #notFound(): DomainError {
    return new DomainError('not_found', `There is no such ${this.#given.noun}.`)
  }

  #nameTaken(): DomainError {
    return new DomainError('view_conflict', `The project has another ${this.#given.noun} of this name.`)
  }
}

/** Throws DomainError `validation_failed`. */
export function requireName(name: string): void {
  const error = checkName(name)
  if (error !== null) throw invalid(error)
}
