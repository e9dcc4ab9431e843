/**
 * A reporter that prints the number of tests that really ran: node itself is content with none, and counts a file without tests, or
 * with none that matches a filter, as one test that passed.
 */
// oxlint-disable-next-line import/no-default-export -- what node --test-reporter loads
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
