import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { NO_MASKING } from '@spoor/contract/schemas/masking'
import { aKey, aProject, keyId, projectId, type AccessStores } from './access-builders.test-support.ts'

export function testProjectStore(open: (context: TestContext) => Promise<AccessStores>): void {
  test('a project and its first keys come back as they were given', async (context) => {
    const { projects, keys } = await open(context)
    const project = aProject(1, { name: 'größe / 100%\u{1F600}' })
    await projects.create(project, [aKey(1), aKey(2, { expiresAt: 99, scopes: ['admin'] })])
    assert.deepEqual(await projects.find(project.id), project)
    assert.deepEqual(await projects.findByName(project.name), [project])
    assert.deepEqual(await keys.find(keyId(1)), aKey(1))
    assert.deepEqual(await keys.find(keyId(2)), aKey(2, { expiresAt: 99, scopes: ['admin'] }))
    assert.equal(await projects.find(projectId(2)), undefined)
  })

  test('a project whose key cannot be kept is not kept either, nor are its other keys', async (context) => {
    const { projects, keys } = await open(context)
    await assert.rejects(projects.create(aProject(1), [aKey(1), aKey(2, { secretHash: aKey(1).secretHash })]))
    await assert.rejects(projects.create(aProject(1), [aKey(1, { projectId: projectId(2) })]))
    assert.deepEqual(await projects.list(null, 9), [])
    assert.equal(await keys.find(keyId(1)), undefined)
  })

  test('an id is taken once', async (context) => {
    const { projects } = await open(context)
    await projects.create(aProject(1), [])
    await assert.rejects(projects.create(aProject(1, { name: 'another' }), []))
    assert.deepEqual(await projects.list(null, 9), [aProject(1)])
  })

  test('the given settings of a project are changed, and those of no other', async (context) => {
    const { projects } = await open(context)
    for (const number of [1, 2]) await projects.create(aProject(number), [])
    const named = aProject(1, {
      spanFilter: 'agents_only',
      versionKey: 'release',
      taskKey: 'case',
      inputPath: '$.question',
    })
    await projects.change(projectId(1), { spanFilter: 'agents_only', taskKey: 'case', inputPath: '$.question' })
    assert.deepEqual(await projects.change(projectId(1), { versionKey: 'release' }), named)
    await projects.change(projectId(1), { retention: { days: 30, mediaDays: 7 } })
    const changed = { ...named, retention: { days: null, flaggedDays: 365, mediaDays: 7 } }
    assert.deepEqual(await projects.change(projectId(1), { retention: { days: null, flaggedDays: 365 } }), changed)
    const masking = { ...NO_MASKING, detectors: ['email' as const], patterns: [{ name: 'own', pattern: 'C-[0-9]' }] }
    await projects.find(projectId(1))
    await projects.change(projectId(1), { masking: { detectors: masking.detectors } })
    const masked = { ...changed, masking }
    assert.deepEqual(await projects.change(projectId(1), { masking: { patterns: masking.patterns } }), masked)
    assert.deepEqual(await projects.find(projectId(1)), masked)
    assert.deepEqual(await projects.list(null, 9), [masked, aProject(2)])
    assert.equal(await projects.change(projectId(3), { spanFilter: 'keep' }), undefined)
  })

  test('projects are listed by age, page by page, and found by a name that several have', async (context) => {
    const { projects } = await open(context)
    for (const number of [3, 1, 2]) await projects.create(aProject(number, { name: number === 2 ? 'b' : 'a' }), [])
    const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id)
    assert.deepEqual(idsOf(await projects.list(null, 2)), [projectId(1), projectId(2)])
    assert.deepEqual(idsOf(await projects.list(projectId(2), 2)), [projectId(3)])
    assert.deepEqual(idsOf(await projects.findByName('a')), [projectId(1), projectId(3)])
    assert.deepEqual(await projects.findByName('A'), [])
  })
}
