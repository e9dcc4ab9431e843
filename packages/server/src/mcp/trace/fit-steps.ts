import { printStep, type StepView } from './step-view.ts'

/** Texts are not made shorter than this: then fewer steps are shown. */
const SHORTEST_TEXT = 100

/** As many of the first steps as fit into `chars`, with texts as long as then fits. Always at least one step. */
export function fitSteps(views: readonly StepView[], chars: number): readonly string[] {
  const fitting = countFitting(views, chars)
  const shown = fitting > 0 ? views.slice(0, fitting) : views.slice(0, 1).map((view) => withLastTexts(view, chars))
  const print = (textChars: number) => shown.map((view) => printStep(view, textChars))
  let fits = print(SHORTEST_TEXT)
  // The longest texts that fit, by halving the interval.
  let [low, high] = [SHORTEST_TEXT, chars]
  while (high - low > SHORTEST_TEXT / 4) {
    const middle = Math.floor((low + high) / 2)
    const printed = print(middle)
    if (lengthOf(printed) <= chars) [low, fits] = [middle, printed]
    else high = middle
  }
  return fits
}

function countFitting(views: readonly StepView[], chars: number): number {
  let length = 0
  for (const [at, view] of views.entries()) {
    length += shortestLength(view)
    if (length > chars) return at
  }
  return views.length
}

/** A step with too many messages: without the first ones, which can still be read by their parts. */
function withLastTexts(view: StepView, chars: number): StepView {
  const startingAt = (at: number): StepView => ({
    ...view,
    fields: { ...view.fields, texts_left_out: at },
    texts: view.texts.slice(at),
  })
  // The smallest number of texts to leave out, by halving the interval.
  let [low, from] = [0, view.texts.length]
  while (low < from) {
    const middle = Math.floor((low + from) / 2)
    if (shortestLength(startingAt(middle)) <= chars) from = middle
    else low = middle + 1
  }
  return startingAt(from)
}

/** With the comma after it. */
export function shortestLength(view: StepView): number {
  return printStep(view, SHORTEST_TEXT).length + 1
}

function lengthOf(printed: readonly string[]): number {
  return printed.reduce((sum, text) => sum + text.length + 1, 0)
}
