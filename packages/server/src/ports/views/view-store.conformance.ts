import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { KeyId, ProjectId, ViewId } from '@spoor/contract/ids'
import type { View } from './view.ts'
import type { ViewStore } from './view-store.ts'

export const OWN = 'proj_01h2xcejqtf2nbrexx3vqjhp41' as ProjectId
export const OTHER = 'proj_01h2xcejqtf2nbrexx3vqjhp42' as ProjectId

const id = (last: number) => `view_01h2xcejqtf2nbrexx3vqjhp4${last}` as ViewId

export function aView(last: number, fields: Partial<View> = {}): View {
  return {
    projectId: OWN,
    id: id(last),
    name: `view ${last}`,
    content: {
      query: { status: 'error', min_duration_ms: 5, metadata: { 'a"\u{1F600}': null, b: '"1"' } },
      form: 'chart',
      chart: { rows: 'steps', measure: 'count', group_by: ['tool'] },
      display: { range: '24h', columns: ['name'] },
    },
    createdBy: 'key_01h2xcejqtf2nbrexx3vqjhp41' as KeyId,
    createdAt: 1,
    updatedAt: 2,
    ...fields,
  }
}

/** Tests that every store of views passes. `open` returns an empty one that has the projects OWN and OTHER. */
export function testViewStore(open: (context: TestContext) => Promise<ViewStore>): void {
  test('views are listed as they were added, by id, in their own project alone', async (context) => {
    const store = await open(context)
    for (const last of [2, 1, 3]) assert.equal(await store.add(aView(last), 9), 'added')
    assert.equal(await store.add(aView(4, { projectId: OTHER, name: 'view 1' }), 9), 'added')
    assert.deepEqual(await store.list(OWN, null, 9), [aView(1), aView(2), aView(3)])
    assert.deepEqual(await store.list(OWN, id(1), 1), [aView(2)])
    assert.deepEqual(
      (await store.list(OTHER, null, 9)).map((view) => view.id),
      [id(4)],
    )
  })

  test('a name is given once in a project, also to concurrent views', async (context) => {
    const store = await open(context)
    const outcomes = await Promise.all([1, 2, 3].map((last) => store.add(aView(last, { name: 'Größe' }), 9)))
    assert.deepEqual(outcomes.toSorted(), ['added', 'name_taken', 'name_taken'])
    assert.equal((await store.list(OWN, null, 9)).length, 1)
    assert.equal(await store.add(aView(4, { name: 'größe' }), 9), 'added', 'names are compared exactly')
  })

  test('a full project gets no more, and a taken name is reported first', async (context) => {
    const store = await open(context)
    for (const last of [1, 2]) await store.add(aView(last), 2)
    assert.equal(await store.add(aView(3), 2), 'full')
    assert.equal(await store.add(aView(3, { name: 'view 2' }), 2), 'name_taken')
    assert.equal(await store.add(aView(3, { projectId: OTHER }), 2), 'added')
    await store.remove(OWN, id(1), () => undefined)
    assert.equal(await store.add(aView(4), 2), 'added')
  })

  test('a change replaces name and content, unless the name is taken', async (context) => {
    const store = await open(context)
    for (const last of [1, 2]) await store.add(aView(last), 9)
    const next = aView(1, {
      name: 'renamed',
      content: { query: {}, form: 'table', chart: null, display: {} },
      updatedAt: 7,
    })
    assert.deepEqual(await store.change(OWN, id(1), () => next), next)
    assert.deepEqual(await store.list(OWN, null, 9), [next, aView(2)])
    assert.equal(await store.change(OWN, id(2), (view) => ({ ...view, name: 'renamed' })), 'name_taken')
    assert.deepEqual(await store.change(OWN, id(2), (view) => ({ ...view, updatedAt: 9 })), aView(2, { updatedAt: 9 }))
    assert.equal(await store.change(OTHER, id(1), () => next), 'missing')
    const refuse = () => {
      throw new RangeError('no')
    }
    await assert.rejects(store.change(OWN, id(1), refuse), RangeError)
    assert.deepEqual((await store.list(OWN, null, 1))[0], next)
  })

  test('removing returns whether the view existed, and leaves others alone', async (context) => {
    const store = await open(context)
    for (const last of [1, 2]) await store.add(aView(last), 9)
    const refuse = () => {
      throw new RangeError('no')
    }
    assert.equal(await store.remove(OTHER, id(1), refuse), false)
    await assert.rejects(store.remove(OWN, id(1), refuse), RangeError)
    const check = (view: View) => assert.deepEqual(view, aView(1))
    assert.deepEqual([await store.remove(OWN, id(1), check), await store.remove(OWN, id(1), refuse)], [true, false])
    assert.deepEqual(await store.list(OWN, null, 9), [aView(2)])
  })
}
