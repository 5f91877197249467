C     The cases of callbacks.c through the Fortran call: all bits of the
C     results.
      PROGRAM IDENT
      IMPLICIT NONE
      INTEGER          LIWORK,LRWORK
      PARAMETER        (LIWORK=20,LRWORK=200)
      INTEGER          D(10),IOPT(40),IWORK(LIWORK),IPAR(1),IJAC,IERR,
     #                 IDID,NUMBER,I
      DOUBLE PRECISION X(7),T,TEND,H,TOL,ROPT(40),RWORK(LRWORK),RPAR(2)
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT
      TEND=5.D0
      TOL=1.D-8
      DO 20 NUMBER=1,8
        CALL SETUP(NUMBER,D,X,IOPT,ROPT,IPAR,RPAR,IJAC)
        T=0.D0
        H=0.01D0
        IERR=0
        IDID=0
        CALL GEOMS(D(1),D(2),D(3),D(4),D(5),D(6),D(7),D(8),D(9),D(10),0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,IVCOND,EOM,MAS,JAC,IJAC,SOLOUT,
     #    1,LIWORK,IWORK,LRWORK,RWORK,RPAR,IPAR,IERR,IDID)
        WRITE(6,100) 'CASE',NUMBER
        WRITE(6,100) 'IDID',IDID
        WRITE(6,110) 'T',T
        WRITE(6,110) 'H',H
        WRITE(6,110) ('X',X(I),I=1,D(10))
        WRITE(6,100) ('IWORK',IWORK(I),I=1,11)
        WRITE(6,110) 'SOLOUT',RPAR(1)
        WRITE(6,110) 'HASH',RPAR(2)
   20 CONTINUE
  100 FORMAT(A,T8,I0)
  110 FORMAT(A,T8,Z16.16)
      END
