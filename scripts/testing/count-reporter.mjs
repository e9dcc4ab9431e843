/** A reporter that prints the number of tests that ran, skipped ones left out: node itself is content with none. */
// oxlint-disable-next-line import/no-default-export -- what node --test-reporter loads
export default async function* countReporter(/** @type {AsyncIterable<{ type: string, data: any }>} */ events) {
  for await (const event of events) {
    // The summary of a single file carries its name; the last one, over all, does not.
    if (event.type === 'test:summary' && event.data.file === undefined) {
      yield String(event.data.counts.tests - event.data.counts.skipped)
    }
  }
}
