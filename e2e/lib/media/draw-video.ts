import type { Page } from 'playwright-core'
import { type VideoOptions, vp8Frame, webmVideo } from './webm-video.ts'

/**
 * A WebM video of noise with a number on each frame, drawn by the page. Noise makes long videos too large for one
 * fetch.
 */
export async function drawVideo(page: Page, frameCount: number, options: VideoOptions): Promise<Buffer> {
  const { width, height } = options
  const drawn = await page.evaluate<string[]>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} })
    const pen = canvas.getContext('2d')
    return Array.from({ length: ${frameCount} }, (_, frame) => {
      const noise = pen.createImageData(canvas.width, canvas.height)
      for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256
      pen.putImageData(noise, 0, 0)
      pen.font = '80px sans-serif'
      pen.fillText(String(frame), 60, 140)
      return canvas.toDataURL('image/webp', 0.9)
    })
  })()`)
  const frames = drawn.map((url) => vp8Frame(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')))
  return webmVideo(frames, options)
}
