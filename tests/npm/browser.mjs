// A static server and Chromium.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

import { chromium } from '@playwright/test';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves a folder on a free port of this machine; strict, so that a page shows what it needs. */
async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    // Browsers ask for it unasked.
    if (path === '/favicon.ico') return response.writeHead(204).end();
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

/**
 * Opens a page of a folder and returns what it sets as `window.result`; fails on anything that the page throws or that the
 * browser complains of.
 */
export async function open(folder, page) {
  const { server, address } = await serve(folder);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const tab = await browser.newPage();
    const complaints = [];
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await tab.goto(`${address}/${page}`);
    const done = tab.waitForFunction(() => window.result, null, { timeout: 60_000 });
    const result = await done.then((handle) => handle.jsonValue(), (error) => complaints.push(error.message));
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    return result;
  } finally {
    await browser.close();
    server.close();
  }
}
