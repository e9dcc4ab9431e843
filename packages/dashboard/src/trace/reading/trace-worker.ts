import { TraceArchive } from './trace-archive.ts'
import type { WorkerMessage, WorkerRequest } from './worker-messages.ts'

/** Steps searched between two checks for messages. */
const SEARCHED_AT_ONCE = 2000
/** Read in pieces of this size, so that the first steps appear early even if the whole trace arrived at once. */
const FIRST_BYTES = 128 * 1024

const archive = new TraceArchive()
let search = { text: '', next: 0 }
let searching = false

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  switch (data.kind) {
    case 'bytes': {
      const cut = archive.stepCount === 0 ? FIRST_BYTES : 0
      read(data.bytes.subarray(0, cut))
      read(data.bytes.subarray(cut))
      break
    }
    case 'end':
      end()
      break
    case 'page': {
      const { batch, nextCursor } = archive.pushPage(data.bytes)
      if (batch !== null) tell({ kind: 'read', head: null, batch })
      tell({ kind: 'answer', id: data.id, value: nextCursor })
      break
    }
    case 'read':
      tell({ kind: 'answer', id: data.id, value: archive[data.of](...(data.given as [never, never])) })
      break
    case 'search':
      search = { text: data.text, next: 0 }
  }
  void searchOn()
})

function read(bytes: Uint8Array): void {
  const { head, batch } = archive.push(bytes)
  if (head !== null || batch !== null) tell({ kind: 'read', head, batch })
}

function end(): void {
  try {
    tell({ kind: 'end', head: archive.end() })
  } catch {
    tell({ kind: 'cut-off' })
  }
}

async function searchOn(): Promise<void> {
  if (searching) return
  searching = true
  while (search.text !== '' && search.next < archive.stepCount) {
    const { text, next } = search
    const upTo = Math.min(archive.stepCount, next + SEARCHED_AT_ONCE)
    search.next = upTo
    tell({ kind: 'found', text, steps: archive.search(text, next, upTo), upTo })
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  searching = false
}

function tell(message: WorkerMessage): void {
  postMessage(message)
}
