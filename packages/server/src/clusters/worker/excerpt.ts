import type { TraceText } from '@spoor/clustering/text/trace-text'

/** Most stored characters of the request, and of the work: 100,000 traces fit on any disk. */
const ASKED_LENGTH = 600
const DONE_LENGTH = 300

/** The part of a trace's text that names are made from. */
export function toExcerpt({ asked, done }: TraceText): string {
  const excerpt: TraceText = {
    asked: beginnings(asked, ASKED_LENGTH),
    done: beginnings([...new Set(done)], DONE_LENGTH),
  }
  return JSON.stringify(excerpt)
}

export function fromExcerpt(text: string): TraceText {
  return JSON.parse(text) as TraceText
}

function beginnings(texts: readonly string[], length: number): string[] {
  const kept: string[] = []
  let room = length
  for (const text of texts) {
    if (room <= 0) break
    kept.push(text.slice(0, room).toWellFormed())
    room -= text.length
  }
  return kept
}
