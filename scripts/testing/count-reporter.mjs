/**
 * A reporter that prints, as JSON, the number of tests that ran and how long those of each file took, milliseconds.
 * Node accepts a run without tests, and counts a file without a matching test as one test that passed.
 */
// oxlint-disable-next-line import/no-default-export -- node --test-reporter loads it
export default async function* countReporter(
  /** @type {AsyncIterable<import('node:test/reporters').TestEvent>} */ events,
) {
  let count = 0
  /** @type {Record<string, number>} */
  const files = {}
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { name, file, skip, details, nesting } = event.data
    if (file === undefined || file.endsWith(name)) continue
    if (skip === undefined && details.type !== 'suite') count++
    if (nesting === 0) files[file] = (files[file] ?? 0) + details.duration_ms
  }
  yield JSON.stringify({ count, files })
}
