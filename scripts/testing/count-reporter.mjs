/**
 * A reporter that prints the number of tests that ran. Node accepts a run without tests, and counts a file without a
 * matching test as one test that passed.
 */
// oxlint-disable-next-line import/no-default-export -- node --test-reporter loads it
export default async function* countReporter(
  /** @type {AsyncIterable<import('node:test/reporters').TestEvent>} */ events,
) {
  let count = 0
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { name, file, skip, details } = event.data
    const isFile = file !== undefined && file.endsWith(name)
    if (!isFile && skip === undefined && details.type !== 'suite') count++
  }
  yield String(count)
}
