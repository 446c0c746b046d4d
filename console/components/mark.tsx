export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 1l7 7-7 7-7-7z" />
    </svg>
  );
}
