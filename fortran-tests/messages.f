C     Messages on a unit, as in the manual: OPEN, IOPT(2)=13, CLOSE.
C
C     N does not fit the dimensions: IDID=-1001, and the message says
C     so.  With GEWRIT linked it is in the file that was opened,
C     without in fort.13.
C
      PROGRAM MESSAG
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=4,M=7)
      INTEGER          IOPT(40),IWORK(20),IPAR(1),IERR,IDID,I,LINES
      DOUBLE PRECISION X(N),T,H,ROPT(40),RWORK(20),RPAR(1)
      CHARACTER*132    LINE
      CHARACTER*9      NAME(2)
      EXTERNAL         NOTHIN
      DATA             NAME /'geoms.log','fort.13'/
      DO 10 I=1,40
        IOPT(I)=0
        ROPT(I)=0.D0
   10 CONTINUE
      DO 20 I=1,N
        X(I)=I
   20 CONTINUE
      T=0.D0
      H=0.01D0
      IERR=0
      IDID=0
      IPAR(1)=0
      RPAR(1)=0.D0
      IOPT(2)=13
      OPEN(UNIT=13,FILE='geoms.log')
      WRITE(13,'(A)') ' written by the program'
      CALL GEOMS(
     #   2,2,0,0,0,1,0,0,M,N,0,
     #   X,T,1.D0,H,1.D-7,1.D-7,0,IOPT,ROPT,
     #   NOTHIN,NOTHIN,NOTHIN,NOTHIN,0,
     #   NOTHIN,0,
     #   20,IWORK,20,RWORK,
     #   RPAR,IPAR,IERR,
     #   IDID)
      WRITE(13,'(A)') ' written by the program again'
      CLOSE(13)
      WRITE(6,100) IDID,T,H,X
      DO 50 I=1,2
        LINES=0
        OPEN(UNIT=14,FILE=NAME(I))
   30   READ(14,'(A)',END=40) LINE
        LINES=LINES+1
        WRITE(6,110) NAME(I),LINE
        GOTO 30
   40   CLOSE(14,STATUS='DELETE')
        IF (LINES.EQ.0) WRITE(6,110) NAME(I),' (empty)'
   50 CONTINUE
  100 FORMAT(' IDID=',I6,', unchanged:',6F6.2)
  110 FORMAT(1X,A9,':',A)
      END
C
      SUBROUTINE NOTHIN
      RETURN
      END
