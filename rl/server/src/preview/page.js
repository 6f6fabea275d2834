'use strict';
(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  // Which pass is shown.
  const passes = all('#stage .pass');
  const switches = all('[data-pass]');
  const show = (index) => {
    passes.forEach((picture, i) => { picture.hidden = i !== index; });
    switches.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
  };
  switches.forEach((button, index) => button.addEventListener('click', () => show(index)));

  // The turntable; a range input answers to the arrow keys by itself.
  const frames = all('#turntable img');
  const angle = one('#angle');
  const turn = () => {
    const index = Number(angle.value);
    frames.forEach((frame, i) => { frame.hidden = i !== index; });
    one('#degrees').textContent = `${Math.round(index * 360 / frames.length)}°`;
  };
  angle.addEventListener('input', turn);
  let spinning = null;
  one('#spin').addEventListener('click', (event) => {
    if (spinning === null) {
      spinning = setInterval(() => { angle.value = String((Number(angle.value) + 1) % frames.length); turn(); }, 250);
    } else {
      clearInterval(spinning);
      spinning = null;
    }
    event.currentTarget.setAttribute('aria-pressed', String(spinning !== null));
  });

  // Which mesh each pixel shows: 24-bit numbers in a picture of their own.
  const source = one('#ids');
  const overlay = one('#marks');
  const status = one('#status');
  let ids = null;
  const read = () => {
    const [width, height] = [source.naturalWidth, source.naturalHeight];
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(source, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    ids = new Uint32Array(width * height);
    for (let pixel = 0; pixel < ids.length; pixel += 1) {
      ids[pixel] = data[4 * pixel] << 16 | data[4 * pixel + 1] << 8 | data[4 * pixel + 2];
    }
    Object.assign(overlay, { width, height });
  };

  // Darkens all but the wanted meshes and draws a line around them; returns how many pixels show them.
  const outline = (wanted) => {
    const { width, height } = overlay;
    const context = overlay.getContext('2d');
    const picture = context.createImageData(width, height);
    const inside = (x, y) => x >= 0 && y >= 0 && x < width && y < height && wanted.has(ids[y * width + x]);
    let count = 0;
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = 4 * (y * width + x);
        if (inside(x, y)) {
          count += 1;
          const within = [1, 2].every((d) => inside(x - d, y) && inside(x + d, y) && inside(x, y - d)
            && inside(x, y + d));
          if (!within) picture.data.set([255, 45, 130, 255], at);
        } else {
          picture.data.set([0, 0, 0, 130], at);
        }
      }
    }
    context.putImageData(picture, 0, 0);
    return count;
  };

  // A cross, dark around bright, so that it is seen on anything.
  const cross = ([x, y]) => {
    const context = overlay.getContext('2d');
    for (const [style, width] of [['#000', 7], ['#ff2d82', 3]]) {
      Object.assign(context, { strokeStyle: style, lineWidth: width, lineCap: 'round' });
      context.beginPath();
      for (const [dx, dy] of [[14, 14], [14, -14]]) {
        context.moveTo(x - dx, y - dy);
        context.lineTo(x + dx, y + dy);
      }
      context.stroke();
    }
  };
  const seen = (count, at) => {
    if (count === 0) return at === null ? 'not seen in this picture' : 'hidden in this picture, at the cross';
    return `${count} pixels of this picture${at === null ? '' : ', the point at the cross'}`;
  };

  const markers = all('[data-marks]');
  const press = (pressed) => {
    markers.forEach((button) => button.setAttribute('aria-pressed', String(button === pressed)));
  };
  const clear = () => {
    press(null);
    overlay.hidden = true;
    status.textContent = status.dataset.hint;
  };
  const mark = (button) => {
    if (ids === null) return;
    press(button);
    const wanted = new Set(button.dataset.marks.split(' ').filter(Boolean).map(Number));
    const at = button.dataset.at ? button.dataset.at.split(' ').map(Number) : null;
    const count = wanted.size > 0 ? outline(wanted) : 0;
    if (count === 0) overlay.getContext('2d').clearRect(0, 0, overlay.width, overlay.height);
    if (at !== null) cross(at);
    overlay.hidden = count === 0 && at === null;
    const what = [button.dataset.message, button.dataset.names].filter(Boolean).join(' — ');
    status.textContent = `${what}: ${seen(count, at)}.`;
    status.scrollTop = 0;
  };
  markers.forEach((button) => {
    button.addEventListener('focus', () => mark(button));
    button.addEventListener('click', () => mark(button));
  });
  one('#clear').addEventListener('click', clear);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    const index = Number(event.key) - 1;
    if (!event.ctrlKey && !event.metaKey && !event.altKey && index in passes) show(index);
  });
  source.decode().then(read, () => { status.textContent = 'The ids cannot be read, so nothing can be outlined.'; });
})();
