import { useToast } from './toasts.tsx'

/** Copies a text, with a message if one is given, or why it failed. Resolves with whether it was copied. */
export function useCopy(): (text: string | Promise<string>, said?: string) => Promise<boolean> {
  const toast = useToast()
  return async (text, said) => {
    try {
      await navigator.clipboard.writeText(await text)
      if (said !== undefined) toast({ kind: 'ok', text: said })
      return true
    } catch {
      // Browsers allow the clipboard only over TLS or on localhost.
      toast({ kind: 'fail', text: 'The browser blocks clipboard access on this page. Select the text and copy it.' })
      return false
    }
  }
}
