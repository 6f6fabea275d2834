'use strict';
for (const golden of document.querySelectorAll('.golden')) {
  const actual = golden.querySelector('.half');
  if (actual === null) continue;
  const split = golden.querySelector('.split');
  const flicker = golden.querySelector('.flicker');
  let timer = null;
  const divide = () => { actual.style.clipPath = `inset(0 0 0 ${split.value}%)`; };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    actual.style.visibility = '';
    flicker.setAttribute('aria-pressed', 'false');
    divide();
  };
  split.addEventListener('input', stop);
  flicker.addEventListener('click', () => {
    if (timer !== null) {
      stop();
      return;
    }
    flicker.setAttribute('aria-pressed', 'true');
    actual.style.clipPath = 'none';
    timer = setInterval(() => { actual.style.visibility = actual.style.visibility === 'hidden' ? '' : 'hidden'; }, 400);
  });
}
